/** The unmodified `@huggingface/hub`, through tokens of the hub and the storage behind them. */

import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, huggingfaceJs } from './huggingface-js.ts'
import { lines, numbers } from './packable.ts'
import { openStage, type Stage } from './stage.ts'
import type { Passed } from './storage-door.ts'
import { fetchedBytes, hashOf, sentXorbBytes } from './transfers.ts'

let stage: Stage
let client: Client
beforeAll(async () => {
  stage = await openStage()
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

/** In one upload: the client takes much memory for each. The last of a soak is more than one xorb can hold. */
const sizes = [
  ...[1, 300_000],
  ...(process.env['LATCHKEY_SOAK'] ? [2_000_000, 6_000_000, 150_000_000] : []),
]

test(`files of ${sizes.join(' and ')} bytes go up and come back`, {
  timeout: 120_000,
}, async () => {
  const files = Object.fromEntries(
    sizes.map((size) => [`file-of-${size}`, keystream(`file-of-${size}`, size)]),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const up = await passedDuring(() => client.upload(files))
  expect(sentXorbBytes(up)).toBeGreaterThan(total)
  const down = await passedDuring(async () => {
    for (const [path, bytes] of Object.entries(files)) {
      expect((await client.download(path)).equals(bytes)).toBe(true)
    }
  })
  expect(fetchedBytes(down)).toBeGreaterThan(total)
})

test('packs lines and numbers and reads them back', async () => {
  const up = await passedDuring(() => client.upload({ lines, numbers }))
  expect(sentXorbBytes(up)).toBeGreaterThan(0)
  expect(sentXorbBytes(up)).toBeLessThan((lines.length + numbers.length) * 0.8)
  for (const [path, bytes] of Object.entries({ lines, numbers })) {
    expect((await client.download(path)).equals(bytes)).toBe(true)
  }
})

test('an empty file is uploaded beside others, and nothing is stored for it', async () => {
  const before = stage.objects()
  const [empty, beside] = [Buffer.alloc(0), keystream('beside', 5000)]
  await client.upload({ empty, beside })
  expect(stage.objects()).toBe(before + 1)
  const passed = await passedDuring(async () => {
    await client.upload({ empty })
    expect(await client.download('empty')).toEqual(empty)
  })
  expect(sentXorbBytes(passed)).toBe(0)
  expect(passed.filter(({ status }) => status !== 200)).toEqual([])
  expect(stage.objects()).toBe(before + 1)
  expect((await client.download('beside')).equals(beside)).toBe(true)
})

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

test('the same file is sent whole again for another branch', async () => {
  const same = keystream('same', 300_000)
  const branches = ['one', 'other']
  for (const branch of branches) {
    const up = await passedDuring(() => client.upload({ same }, { branch }))
    expect(sentXorbBytes(up)).toBeGreaterThan(same.length)
  }
  for (const branch of branches) {
    expect((await client.download('same', { branch })).equals(same)).toBe(true)
  }
})

test('a pull request can be opened, and its content read', async () => {
  const proposed = keystream('proposed', 10_000)
  await client.upload({ proposed }, { isPullRequest: true })
  expect((await client.download('proposed', { branch: 'refs/pr/1' })).equals(proposed)).toBe(true)
})

test('a token for a commit opens what its branch had then, and nothing that came later', async () => {
  const [early, late] = [keystream('early', 10_000), keystream('late', 10_000)]
  const commit = await client.upload({ early })
  await client.upload({ late })
  const token = await fetch(`${stage.hub.url}/api/models/acme/bert/xet-read-token/${commit}`, {
    headers: { authorization: `Bearer ${stage.hubTokens['writer/write']}` },
  })
  const { casUrl, accessToken } = (await token.json()) as Record<string, string>
  const statusOf = async (file: Buffer) => {
    const url = `${casUrl}/v2/reconstructions/${hashOf(stage.door, file)}`
    return (await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })).status
  }
  expect([await statusOf(early), await statusOf(late)]).toEqual([200, 404])
})
