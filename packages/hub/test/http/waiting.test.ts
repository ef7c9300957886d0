/** Handlers that wait for something to happen: the client may leave, and the hub may stop. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** An admin API that answers when its signal is aborted. */
const waiting = vi.hoisted((): { reached?: () => void; ended?: () => void } => ({}))

vi.mock('../../src/admin/serve-admin.ts', () => ({
  adminRoutes: () => {
    const handle = ({ signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          waiting.ended?.()
          resolve({ body: '{"waited":true}' })
        })
        waiting.reached?.()
      })
    return [{ method: 'ANY', path: '/admin/v1/x', handle }]
  },
}))

let world: World
beforeEach(async () => {
  world = await startWorld(acme, { stopDeadlineSeconds: 600 })
})
afterEach(() => world.close())

function event(name: 'reached' | 'ended'): Promise<void> {
  return new Promise((resolve) => {
    waiting[name] = resolve
  })
}

test('a waiting handler is told when its client disconnects', async () => {
  const [reached, ended] = [event('reached'), event('ended')]
  const client = new AbortController()
  const asked = fetch(`${world.hub.url}/admin/v1/x`, { signal: client.signal })
  await reached
  client.abort()
  await expect(asked).rejects.toThrow()
  await ended
})

test('a waiting handler is told when the hub stops, answers, and does not keep the stop', async () => {
  const reached = event('reached')
  const asked = fetch(`${world.hub.url}/admin/v1/x`)
  await reached
  const stopped = world.hub.stop()
  const answer = await asked
  expect(await answer.json()).toEqual({ waited: true })
  expect(answer.headers.get('connection')).toBe('close')
  await stopped
})
