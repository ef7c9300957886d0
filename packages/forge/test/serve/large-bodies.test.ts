/** Large bodies of one account wait unread while those of others are served, and no body keeps its room. */

import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge, type Who } from './forge-world.ts'

const kib = 1024
const bodyLimits = {
  ...{ max: 400 * kib, maxOfAccount: 100 * kib, reserved: 100 * kib },
  maxWaitingOfAccount: 1,
}
const large = JSON.stringify({ paths: ['a.txt'], more: 'x'.repeat(60 * kib) })
const shorter = JSON.stringify({ paths: ['a.txt'] })
const preupload = JSON.stringify({
  files: [{ path: 'a.txt', size: 1, sample: '' }],
  gitIgnore: '#'.repeat(60 * kib),
})

describe.skipIf(!isGitThere)('large bodies', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({}, { bodyLimits })
    await world.create('bodies')
    await world.commit('bodies', { 'a.txt': 'a' })
  })
  afterAll(() => world?.stopped())

  const pathsInfo = '/api/models/acme/bodies/paths-info/main'

  /** Sends all but the last bytes of a body. */
  function begin(as: Who, { path = pathsInfo, text = large, type = 'application/json' } = {}) {
    const sent = httpRequest(world.hub.url + path, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${world.tokenOf(as)}`,
        'content-type': type,
        'content-length': Buffer.byteLength(text),
      },
    })
    const state = { status: 0, retryAfter: '' }
    sent.on('response', (response) => {
      state.status = response.statusCode ?? 0
      state.retryAfter = response.headers['retry-after'] ?? ''
      response.resume()
    })
    sent.on('error', () => {})
    sent.write(text.slice(0, -2))
    return { state, end: () => sent.end(text.slice(-2)), leave: () => sent.destroy() }
  }

  async function statusOf(as: Who, more: Parameters<typeof begin>[1] = {}) {
    const body = begin(as, more)
    body.end()
    await expect.poll(() => body.state.status, { timeout: 20_000 }).not.toBe(0)
    return body.state.status
  }

  test('of one account wait or are refused, and those of another are served at once', async () => {
    const held = begin('reader')
    // What comes first is not told by the order of sending: each needs a connection of its own.
    const others: ReturnType<typeof begin>[] = []
    await expect
      .poll(() => {
        const one = begin('reader')
        one.end()
        others.push(one)
        return others.find(({ state }) => state.status === 429)?.state.retryAfter
      })
      .toBe('5')
    expect(await statusOf('reader', { text: shorter })).toBe(200)
    expect(await statusOf('writer')).toBe(200)
    expect(held.state.status).toBe(0)
    const waiting = () => others.filter(({ state }) => state.status === 0).length
    await expect.poll(waiting).toBe(1)
    held.leave()
    await expect.poll(waiting).toBe(0)
    expect(others.filter(({ state }) => state.status === 200)).toHaveLength(1)
  })

  test.each([
    ['is served', { text: large }, 200],
    [
      'is a form',
      { text: `paths=${'%20'.repeat(4000)}&`.repeat(8), type: 'application/x-www-form-urlencoded' },
      200,
    ],
    ['is no JSON', { text: large.replace('{', '[') }, 400],
    [
      'asks for uploads',
      { text: preupload, path: '/api/models/acme/bodies/preupload/main?create_pr=1' },
      200,
    ],
    ['is no batch', { text: large, path: '/acme/bodies.git/info/lfs/objects/batch' }, 400],
  ])('one that %s gives its room back', async (_, more, status) => {
    // Eight of them have no room at the same time, and two may not wait.
    for (let count = 0; count < 8; count += 1) {
      expect(await statusOf('reader', more)).toBe(status)
    }
  })

  test.each(['is served', 'leaves'])('a form of a client that %s is counted too', async (how) => {
    const type = 'application/x-www-form-urlencoded'
    const held = begin('reader', { type, text: `paths=${'%20'.repeat(4000)}&`.repeat(8) })
    const other = begin('reader')
    other.end()
    await expect
      .poll(() => held.state.status + other.state.status > 0 || statusOf('reader'))
      .toBe(429)
    if (how === 'leaves') held.leave()
    else held.end()
    await expect.poll(() => statusOf('reader'), { timeout: 20_000 }).toBe(200)
  })
})
