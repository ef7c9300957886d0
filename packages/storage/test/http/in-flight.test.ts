/** Uploads count while they are under way, for their account and their repository, and tell nothing of other refs. */

import { dial, head } from '@latchkey/testing/http/raw-line'
import { makeShard } from '@latchkey/testing/xet/making'
import { afterEach, expect, test } from 'vitest'
import type { StorageSettings } from '../../src/index.ts'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const [one, two, three] = [contentOf('one'), contentOf('two'), contentOf('three')] as const
const size = one.xorb.bytes.length

let stage: Stage
afterEach(() => stage.close())

/** `rival` and `third` are other accounts, which may write to the same repositories. */
async function open(settings: Partial<StorageSettings>) {
  stage = await openStage({ settings })
  for (const account of ['rival', 'third']) {
    await stage.world.done('member set', { namespace: 'acme', account, role: 'write' })
  }
  await stage.world.apply({ hubTokens: [{ account: 'writer', name: 'second', kind: 'write' }] })
  const [first, second] = [await stage.newRepository(), await stage.newRepository()]
  const writes = (repository: string, as?: string) => stage.caller(`write ${repository}@main`, as)
  return {
    writer: await writes(first),
    /** The same account by another hub token. */
    elsewhere: await writes(second, 'writer/second'),
    rival: await writes(first, 'rival/write'),
    third: await writes(first, 'third/write'),
    rivalElsewhere: await writes(second, 'rival/write'),
  }
}

const lengthOf = (bytes: number) => [`Content-Length: ${bytes}`]
const chunked = ['Transfer-Encoding: chunked']

/** Announces an upload, and waits to be told to send it. */
async function announce({ url, token }: Caller, path: string, said: readonly string[]) {
  const line = await dial(stage.url)
  const target = `${new URL(url).pathname}${path}`
  const expecting = [...said, 'Expect: 100-continue']
  line.say(head(`POST ${target}`, expecting, { authorization: `Bearer ${token}` }))
  return line
}

const pathOf = ({ xorb }: typeof one) => `/v1/xorbs/default/${xorb.hash}`
const goOn = /^HTTP\/1\.1 100 Continue/

/** Long enough for a request that need not wait; one that must has heard nothing by then. */
async function settled() {
  expect((await contentRoundTrip()).status).toBe(404)
}
const contentRoundTrip = async () => {
  const reader = await stage.caller(`read ${await stage.newRepository()}@main`)
  return reader.ask(`GET /v1/reconstructions/${three.file.hash}`)
}

// conformance: Guarantees / One account cannot take the storage capacity of others
// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('an account with as much under way as it may have waits, in all its repositories; others do not', async () => {
  const { writer, elsewhere, rivalElsewhere } = await open({ inFlightBytes: size + 100 })
  const first = await announce(writer, pathOf(one), lengthOf(size))
  await first.hears(goOn)
  const second = await announce(elsewhere, pathOf(two), lengthOf(size))
  await settled()
  expect(second.heard()).toBe('')
  await put(rivalElsewhere, three)
  first.say(one.xorb.bytes)
  await first.hears('"was_inserted":true')
  await second.hears(goOn)
  second.say(two.xorb.bytes)
  await second.hears('"was_inserted":true')
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test.each([
  ['a xorb without a length counts with the longest', pathOf(one), chunked],
  ['a shard counts', '/v1/shards', lengthOf(1000)],
  ['a shard without a length counts', '/v2/shards', chunked],
] as const)('%s, and gives its room back when its client goes', async (_, path, said) => {
  const { writer, elsewhere } = await open({ inFlightBytes: 1000 })
  const first = await announce(writer, path, said)
  await first.hears(goOn)
  const second = await announce(elsewhere, path, said)
  await settled()
  expect(second.heard()).toBe('')
  first.socket.destroy()
  await second.hears(goOn)
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('one account takes at most half of what may be under way in a repository; another writes beside it', async () => {
  const { writer, elsewhere, rival } = await open({ quota: { bytes: size, objects: undefined } })
  const first = await announce(writer, pathOf(one), lengthOf(size))
  await first.hears(goOn)
  const second = await announce(writer, pathOf(two), lengthOf(size))
  const beside = await announce(rival, pathOf(three), lengthOf(size))
  await beside.hears(goOn)
  await settled()
  expect(second.heard()).toBe('')
  await (await announce(elsewhere, pathOf(two), lengthOf(size))).hears(goOn)
  first.socket.destroy()
  await second.hears(goOn)
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('what is under way in a repository, of all accounts, is never more than two longest bodies or its quota', async () => {
  const { writer, rival, third, rivalElsewhere } = await open({
    quota: { bytes: size, objects: undefined },
  })
  const lines = [
    await announce(writer, pathOf(one), lengthOf(size)),
    await announce(rival, pathOf(two), lengthOf(size)),
  ]
  for (const line of lines) await line.hears(goOn)
  const waiting = await announce(third, pathOf(three), lengthOf(size))
  await settled()
  expect(waiting.heard()).toBe('')
  await (await announce(rivalElsewhere, pathOf(three), lengthOf(size))).hears(goOn)
  for (const line of lines) line.socket.destroy()
  await waiting.hears(goOn)
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('an account with too many requests waiting is told to come back, and no other is', async () => {
  const limits = { failuresPerMinute: 0, connections: 4000 }
  const { writer, rival } = await open({ inFlightBytes: size, limits })
  const first = await announce(writer, pathOf(one), lengthOf(size))
  await first.hears(goOn)
  const waiting = Array.from({ length: 256 }, () => announce(writer, pathOf(two), lengthOf(size)))
  const lines = await Promise.all(waiting)
  await settled()
  const told = await writer.upload(two.xorb)
  expect([told.status, told.code]).toEqual([429, 'rate_limited'])
  expect(told.headers.get('retry-after')).toBe('5')
  await put(rival, three)
  for (const line of [first, ...lines]) line.socket.destroy()
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('an announced length tells nothing of what other refs hold', async () => {
  const quota = { bytes: 3 * size, objects: undefined }
  const { writer } = await open({ quota })
  await put(writer, one)
  const repository = 'models/acme/r1'
  await stage.newBranch(repository, 'apart')
  const apart = await stage.caller(`write ${repository}@apart`)
  const heardFor = async (bytes: number) => {
    const line = await announce(apart, pathOf(three), lengthOf(bytes))
    const heard = await line.hears(/\r\n\r\n/)
    line.socket.destroy()
    return heard.split(' ')[1]
  }
  const rest = 2 * size - 44
  for (const bytes of [1, rest, rest + 1, 3 * size]) expect(await heardFor(bytes)).toBe('100')
  expect(await heardFor(3 * size + 1)).toBe('413')
})

test('a shard that is being received is no xorb: its length is not compared with the quota', async () => {
  const { writer } = await open({ quota: { bytes: size + 44, objects: undefined } })
  const shard = makeShard({ files: [one.file], xorbs: Array.from({ length: 50 }, () => one.xorb) })
  expect(shard.length).toBeGreaterThan(size + 44)
  expect((await writer.upload(one.xorb)).status).toBe(200)
  const told = await writer.ask('POST /v1/shards', { body: new Uint8Array(shard) })
  expect(told.json).toEqual({ result: 1 })
})
