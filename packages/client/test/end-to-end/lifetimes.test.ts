/** Work that takes longer than a token lives, in real time, all of it side by side. */

import { setTimeout as pause } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/clock/client-clock.ts'
import type { StorageClient } from '../../src/index.ts'
import { openStage, type Stage } from './stage.ts'

const lifetimeSeconds = 4
const threeLifetimesMs = 3 * lifetimeSeconds * 1000
const patience = 60_000

/** Of one scope: the first, and another after nine tenths of the half of a life that is used. */
const maxTokens = (tookMs: number) => 1 + Math.ceil(tookMs / (lifetimeSeconds * 500 * 0.9))

let stage: Stage
let shaken: Stage
beforeAll(async () => {
  ;[stage, shaken] = await Promise.all([
    openStage({ lifetimeSeconds }),
    openStage({ lifetimeSeconds, killed: 'hub' }),
  ])
})
afterAll(() => Promise.all([stage.close(), shaken.close()]))

describe.concurrent('a client that works for longer than a token lives', () => {
  // conformance: Guarantees / Expiry, hub restarts and wrong clocks interrupt no transfer
  // conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
  it('an upload stream that outlives three tokens completes', async () => {
    const client = stage.client({ revision: 'upload' })
    const whole = keystream('whole', rounds(100, 400) * pieceLength)
    const body = slowly(whole, threeLifetimesMs + 300)
    const started = performance.now()
    let tookMs = 0
    const upload = client.fetch('/v1/xorbs/upload/whole', { method: 'POST', body }).finally(() => {
      tookMs = performance.now() - started
    })
    const beside = writeAndRead(client, 'upload', () => tookMs > 0)
    const [{ status }, count] = await Promise.all([upload, beside])

    expect(status).toBe(201)
    expect(tookMs).toBeGreaterThan(threeLifetimesMs)
    expect(stage.storage.objects.get('/v1/xorbs/upload/whole')?.equals(whole)).toBe(true)
    expect(count).toBeGreaterThan(0)
    expectNoneSpent(stage)
  })

  it('200 parallel readers make one token request for each time that a token is spent', async () => {
    let asked = 0
    const client = stage.client({
      revision: 'crowd',
      fetch(input, init) {
        if (String(input).startsWith(stage.hub.url)) asked += 1
        return fetch(input, init)
      },
    })
    const bytes = keystream('crowd', 1000)
    stage.storage.objects.set('/v1/chunks/crowd', bytes)
    const read = async () => (await client.fetch('/v1/chunks/crowd')).arrayBuffer()
    const started = performance.now()
    while (asked < rounds(3, 5)) {
      const answers = await Promise.all(Array.from({ length: 200 }, read))
      expect(answers.filter((answer) => !Buffer.from(answer).equals(bytes))).toEqual([])
      // Longer than a client uses a token.
      await pause(lifetimeSeconds * 875)
    }

    expect(asked).toBeLessThanOrEqual(maxTokens(performance.now() - started))
    await vi.waitFor(() => expect(stage.issued('crowd')).toHaveLength(asked), patience)
    expectNoneSpent(stage)
  })

  it.each([
    ['fast', 600],
    ['slow', -600],
  ])('a clock that is ten minutes %s changes nothing', async (revision, skewSeconds) => {
    const wallMs = () => systemClock.wallMs() + skewSeconds * 1000
    const client = stage.client({ revision, clock: { ...systemClock, wallMs } })
    const started = performance.now()
    const tookMs = () => performance.now() - started
    const issued = () => stage.issued(revision).length
    const isOver = () => tookMs() > 2 * lifetimeSeconds * 1000 && issued() > 6
    await writeAndRead(client, revision, isOver)
    expect(issued()).toBeLessThanOrEqual(2 * maxTokens(tookMs()))
    expectNoneSpent(stage)
  })

  // conformance: Client / A restart of hub or gate causes no error
  it('a hub restart in the middle is not noticed', async () => {
    let unanswered = 0
    const client = shaken.client({
      fetch: (input, init) =>
        fetch(input, init).catch((error) => {
          unanswered += 1
          throw error
        }),
    })
    let isOver = false
    const restart = async () => {
      await vi.waitFor(() => expect(shaken.storage.objects.size).toBeGreaterThan(2), patience)
      await shaken.hub.kill()
      // Until the token that is held is spent.
      await pause(lifetimeSeconds * 500)
      await shaken.hub.start()
      const before = shaken.issued('main').length
      const since = () => shaken.issued('main').length - before
      await vi.waitFor(() => expect(since()).toBeGreaterThan(3), patience)
      isOver = true
    }
    const [count] = await Promise.all([writeAndRead(client, 'main', () => isOver), restart()])

    expect(count).toBeGreaterThan(2)
    expect(unanswered).toBeGreaterThan(0)
    expectNoneSpent(shaken)
  })
})

/** Writes an object and reads it back, again and again; gives how often. Throws if one is not whole. */
async function writeAndRead(
  client: StorageClient,
  name: string,
  isOver: () => boolean,
): Promise<number> {
  let count = 0
  for (; !isOver(); count += 1) {
    const path = `/v1/xorbs/${name}/${count}`
    const bytes = keystream(path, 2000)
    const written = await client.fetch(path, { method: 'POST', body: bytes })
    const read = await client.fetch(path)
    expect([written.status, read.status]).toEqual([201, 200])
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
    await pause(rounds(900, 250))
  }
  return count
}

const pieceLength = 8 * 1024

/** In pieces, the last of them when the time is over. */
async function* slowly(whole: Buffer, milliseconds: number): AsyncIterable<Uint8Array> {
  const started = performance.now()
  for (let begin = 0; begin < whole.length; begin += pieceLength) {
    const due = started + (milliseconds * (begin + pieceLength)) / whole.length
    await pause(Math.max(0, due - performance.now()))
    yield whole.subarray(begin, begin + pieceLength)
  }
}

/** A 401 that the client makes good by itself would show here alone. */
function expectNoneSpent({ lifeLeft, refused }: Stage): void {
  expect(lifeLeft().length).toBeGreaterThan(0)
  expect(lifeLeft().filter((seconds) => !(seconds > 0))).toEqual([])
  expect(refused()).toEqual([])
}
