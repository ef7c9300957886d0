/** The unmodified `@huggingface/hub` while tokens end in the middle of its transfers, in real time. */

import { setTimeout as pause } from 'node:timers/promises'
import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, huggingfaceJs } from './huggingface-js.ts'
import { openStage, type Stage } from './stage.ts'
import { hashOf, tokensIn } from './transfers.ts'

const lifetimeSeconds = 4
const longerMs = (lifetimeSeconds + 1) * 1000

const [whole, change] = [keystream('whole', 1_000_000), keystream('change', 100_000)]
const changed = Buffer.concat([whole.subarray(0, 500_000), change, whole.subarray(500_000)])

let stage: Stage
let client: Client
beforeAll(async () => {
  // Without leeway: a token that is sent too late is refused, and the client gives up.
  stage = await openStage({ lifetimeSeconds, leewaySeconds: 0 })
  client = huggingfaceJs(stage)
  await client.upload({ whole }, { branch: 'similar' })
  await client.upload({ changed }, { branch: 'similar' })
})
afterAll(() => stage?.close())

/** What passed for calls that begin like this, since then. */
function passedSince(start: number, ...calls: readonly string[]) {
  const since = stage.door.passed.slice(start)
  return since.filter(({ call }) => calls.some((beginning) => call.startsWith(beginning)))
}

describe.concurrent('a client whose transfer takes longer than a token lives', () => {
  // conformance: Embedded storage / Unmodified clients upload and download
  it('brings the file in to the end, and registers it with another token', async () => {
    const bytes = keystream('slow upload', 400_000)
    const slowly: typeof fetch = (input, init) => {
      if (!String(input).includes('/v1/xorbs/')) return fetch(input, init)
      const body = ReadableStream.from(inPieces(init?.body as Uint8Array, longerMs))
      return fetch(input, { ...init, body, duplex: 'half' } as RequestInit)
    }
    const start = stage.door.passed.length
    await client.upload({ bytes }, { branch: 'slow', fetch: slowly })
    const passed = passedSince(start, 'POST /v1/xorbs/', 'POST /v1/shards')
    expect(passed.map(({ status }) => status)).toEqual([200, 200])
    expect(passed[0]?.sentBytes).toBeGreaterThan(bytes.length)
    expect(tokensIn(passed).size).toBe(2)
    expect((await client.download('bytes', { branch: 'slow' })).equals(bytes)).toBe(true)
  })

  it('goes on reading with new addresses when the first ones are over', async () => {
    const start = stage.door.passed.length
    let held: Promise<void> | undefined
    const haltingly: typeof fetch = async (input, init) => {
      if (!String(input).includes('/blobs/')) return fetch(input, init)
      const isFirst = held === undefined
      held ??= pause(longerMs)
      if (!isFirst) await held
      return fetch(input, init)
    }
    const read = await client.download('changed', { branch: 'similar', fetch: haltingly })
    expect(read.equals(changed)).toBe(true)
    const statuses = new Set(passedSince(start, 'GET /blobs/').map(({ status }) => status))
    expect(statuses).toEqual(new Set([206, 403]))
    const asked = passedSince(start, `GET /v2/reconstructions/${hashOf(stage.door, changed)}`)
    expect(tokensIn(asked).size).toBeGreaterThan(1)
  })
})

async function* inPieces(whole: Uint8Array, milliseconds: number): AsyncIterable<Uint8Array> {
  const count = 20
  const length = Math.ceil(whole.length / count)
  for (let begin = 0; begin < whole.length; begin += length) {
    await pause(milliseconds / count)
    yield whole.subarray(begin, begin + length)
  }
}
