/** The unmodified `@huggingface/hub`, through tokens of the hub and the storage behind them. */

import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledThreads } from '../threads/bundled-threads.ts'
import { type Client, huggingfaceJs } from './huggingface-js.ts'
import { lines, numbers } from './packable.ts'
import { openStage, type Stage } from './stage.ts'
import type { Passed } from './storage-door.ts'
import { fetchedBytes, hashOf, sentXorbBytes, takenXorbs } from './transfers.ts'

let stage: Stage
let client: Client
beforeAll(async () => {
  stage = await openStage({ openPool: bundledThreads })
  client = huggingfaceJs(stage)
})
afterAll(() => stage?.close())

/** What passes the door of the storage meanwhile. */
async function passedDuring(act: () => Promise<unknown>): Promise<readonly Passed[]> {
  const before = stage.door.passed.length
  await act()
  return stage.door.passed.slice(before)
}

test('an upload with a read-only hub token is refused in the words of the hub', async () => {
  const hubToken = stage.hubTokens['writer/read']
  const passed = await passedDuring(() =>
    expect(client.upload({ refused: keystream('refused', 1000) }, { hubToken })).rejects.toThrow(
      /this needs a hub token of kind write/,
    ),
  )
  expect(passed).toEqual([])
})

test('a revision that is not there is refused for uploads and downloads', async () => {
  const nowhere = { branch: 'nowhere' }
  const bytes = keystream('nowhere', 1000)
  const sentence = /There is no such revision/
  await expect(client.upload({ nowhere: bytes }, nowhere)).rejects.toThrow(sentence)
  await expect(client.download('nowhere', nowhere)).rejects.toThrow(sentence)
})

/** The last of a soak is more than one xorb can hold. */
const sizes = [
  ...[1, 300_000],
  ...(process.env['LATCHKEY_SOAK'] ? [2_000_000, 6_000_000, 150_000_000] : []),
]
const noise = Object.fromEntries(
  sizes.map((size) => [`file-of-${size}`, keystream(`file-of-${size}`, size)]),
)
const empty = Buffer.alloc(0)

/** All of them in one upload: the client fills two buffers of 64 MiB for each. */
describe('files of any size, of lines, of numbers and of nothing', () => {
  let up: readonly Passed[]
  let commit: string
  beforeAll(async () => {
    up = await passedDuring(async () => {
      commit = await client.upload({ ...noise, lines, numbers, empty })
    })
  })

  test('go up, packed where they can be, and nothing is stored for the empty one', async () => {
    const noiseBytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(sentXorbBytes(up)).toBeGreaterThan(noiseBytes)
    expect(sentXorbBytes(up)).toBeLessThan(
      noiseBytes * 1.01 + (lines.length + numbers.length) * 0.8,
    )
    expect(stage.objects()).toBe(takenXorbs(up).length)
  })

  test('come back', async () => {
    const files = { ...noise, lines, numbers, empty }
    const down = await passedDuring(async () => {
      for (const [path, bytes] of Object.entries(files)) {
        expect((await client.download(path)).equals(bytes), path).toBe(true)
      }
    })
    expect(fetchedBytes(down)).toBeGreaterThan(sentXorbBytes(up) * 0.9)
  })

  test('send nothing for an empty one alone', async () => {
    const before = stage.objects()
    const passed = await passedDuring(async () => {
      await client.upload({ alone: empty })
      expect(await client.download('alone')).toEqual(empty)
    })
    expect(sentXorbBytes(passed)).toBe(0)
    expect(passed.filter(({ status }) => status !== 200)).toEqual([])
    expect(stage.objects()).toBe(before)
  })

  test('are sent whole again for another branch', async () => {
    const same = noise['file-of-300000'] ?? empty
    const up = await passedDuring(() => client.upload({ same }, { branch: 'other' }))
    expect(sentXorbBytes(up)).toBeGreaterThan(300_000)
    expect((await client.download('same', { branch: 'other' })).equals(same)).toBe(true)
  })

  test('are open to a token for their commit, and nothing that came later', async () => {
    const late = keystream('late', 10_000)
    await client.upload({ late })
    const token = await fetch(`${stage.hub.url}/api/models/acme/bert/xet-read-token/${commit}`, {
      headers: { authorization: `Bearer ${stage.hubTokens['writer/write']}` },
    })
    const { casUrl, accessToken } = (await token.json()) as Record<string, string>
    const statusOf = async (file: Buffer) => {
      const url = `${casUrl}/v2/reconstructions/${hashOf(stage.door, file)}`
      return (await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })).status
    }
    expect([await statusOf(lines), await statusOf(late)]).toEqual([200, 404])
  })
})

// conformance: Guarantees / Unmodified Hugging Face clients upload and download
// conformance: Embedded storage / Unmodified clients upload and download
test('of a file that resembles an earlier one only the difference is sent', async () => {
  const [first, change] = [keystream('first', 1_000_000), keystream('change', 100_000)]
  const second = Buffer.concat([first.subarray(0, 600_000), change, first.subarray(600_000)])
  const place = { branch: 'similar' }
  await client.upload({ first }, place)
  const up = await passedDuring(() => client.upload({ second }, place))
  expect(sentXorbBytes(up)).toBeGreaterThan(change.length)
  expect(sentXorbBytes(up)).toBeLessThan(change.length + 500_000)
  expect((await client.download('first', place)).equals(first)).toBe(true)
  expect((await client.download('second', place)).equals(second)).toBe(true)
})

test('a pull request can be opened, and its content read', async () => {
  const proposed = keystream('proposed', 10_000)
  await client.upload({ proposed }, { isPullRequest: true })
  expect((await client.download('proposed', { branch: 'refs/pr/1' })).equals(proposed)).toBe(true)
})
