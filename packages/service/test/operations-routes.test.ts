import { isRefusal } from '@latchkey/protocol'
import { expect, it } from 'vitest'
import type { Call } from '../src/http/call.ts'
import { operationsRoutes, type WatchedService } from '../src/http/operations-routes.ts'

const own: WatchedService = {
  metrics: { text: async () => 'own 1\n', contentType: 'text/plain' },
  isReady: () => true,
  notReady: 'Not yet.',
}

async function ask(watched: WatchedService, path: string): Promise<string> {
  const route = operationsRoutes(watched).find((one) => one.path === path)
  // None of these routes looks at the request.
  const reply = await route?.handle({} as Call, {})
  if (reply === undefined) throw new Error(`no route ${path}`)
  return isRefusal(reply) ? reply.code : String(reply.body)
}

function withStorage(isReady: boolean): WatchedService {
  const storage = { isReady: async () => isReady, metricsText: async () => 'other 2\n' }
  return { ...own, companions: { storage } }
}

it('a service that is not ready says so, whatever its companions say', async () => {
  expect(await ask({ ...withStorage(true), isReady: () => false }, '/readyz')).toBe('not_ready')
})

it('a companion that is down shows, and leaves the service ready', async () => {
  const heard = [await ask(withStorage(false), '/readyz'), await ask(withStorage(true), '/readyz')]
  expect(heard).toEqual([
    '{"status":"ready","storage":"down"}',
    '{"status":"ready","storage":"ready"}',
  ])
})

it('a service without companions speaks of itself alone', async () => {
  expect(await ask(own, '/readyz')).toBe('{"status":"ready"}')
  expect(await ask(own, '/metrics')).toBe('own 1\n')
})

it('the metrics of companions follow those of the service', async () => {
  expect(await ask(withStorage(false), '/metrics')).toBe('own 1\nother 2\n')
})
