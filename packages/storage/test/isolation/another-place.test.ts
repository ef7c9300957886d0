/** Content belongs to one repository and one ref of it, whatever else a token opens and whatever its bearer knows. */

import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { type Content, contentOf, everything, lookFor, looksFor, nothing, put } from './content.ts'

let stage: Stage
let owner: Caller
let repository: string
const secret = contentOf('what nobody else may have')
beforeAll(async () => {
  stage = await openStage()
  repository = await stage.newRepository()
  owner = await stage.caller(`write ${repository}@main`)
  await put(owner, secret)
})
afterAll(() => stage.close())

/** Everything that a shard can say of a xorb, to get at it. */
function referencesTo(
  { xorb, file }: Content,
  own: Content,
): readonly Parameters<Caller['register']>[] {
  const stolen = makeFile([{ xorb: own.xorb }, { xorb, start: 1 }])
  return [[[file]], [[file], [xorb]], [[], [xorb]], [[stolen], [own.xorb]], [[own.file, stolen]]]
}

async function expectNothing(stranger: Caller, seed: string): Promise<void> {
  expect(await lookFor(stranger, secret)).toEqual(nothing(secret))
  const own = contentOf(seed)
  await put(stranger, own)
  for (const reference of referencesTo(secret, own)) {
    const told = await stranger.register(...reference)
    expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  }
  expect(await lookFor(stranger, secret)).toEqual(nothing(secret))
  expect(await lookFor(stranger, own)).toEqual(everything(own))
}

// conformance: Guarantees / Content is available only in its own repository and ref
// conformance: Embedded storage / Content is available only in its own repository and ref
test("a token for another repository cannot read, list, deduplicate against or reference this one's content", async () => {
  const other = await stage.newRepository()
  await expectNothing(await stage.caller(`write ${other}@main`), 'of another repository')
})

// conformance: Embedded storage / Content is available only in its own repository and ref
test('nor one for another branch', async () => {
  await stage.newBranch(repository, 'apart')
  await expectNothing(await stage.caller(`write ${repository}@apart`), 'of another branch')
})

test('nor at the address of this one', async () => {
  const other = await stage.newRepository()
  const strangers = [`write ${other}@main`, `write ${repository}@apart`]
  const codes = ['repository_mismatch', 'ref_mismatch']
  for (const [index, what] of strangers.entries()) {
    const { token } = await stage.caller(what)
    for (const call of looksFor(secret).filter((one) => one.startsWith('GET'))) {
      const told = await owner.ask(call, { token })
      expect([told.status, told.code], call).toEqual([403, codes[index]])
    }
    const told = await owner.ask(`POST /v1/xorbs/default/${secret.xorb.hash}`, {
      ...{ token, body: 'anything' },
    })
    expect([told.status, told.code]).toEqual([403, codes[index]])
  }
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('knowing a hash gives nothing', async () => {
  const other = await stage.newRepository()
  const stranger = await stage.caller(`write ${other}@main`)
  const { xorb, file } = secret
  // Neither does sending other bytes under it, nor only a part of the right ones.
  for (const bytes of [makeXorb(randomChunks('x', 3)).bytes, xorb.bytes.subarray(0, -1)]) {
    const told = await stranger.upload({ hash: xorb.hash, bytes })
    expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  }
  expect((await stranger.register([file], [xorb])).code).toBe('content_invalid')
  expect(await lookFor(stranger, secret)).toEqual(nothing(secret))
})

test('who brings the bytes has what they bring, and nothing of how others have it', async () => {
  const other = await stage.newRepository()
  const stranger = await stage.caller(`write ${other}@main`)
  expect((await stranger.upload(secret.xorb)).json).toEqual({ was_inserted: true })
  const statuses = await lookFor(stranger, secret)
  // The file is known only where it was registered.
  expect(statuses).toEqual([200, 200, 200, 200, 200, 404, 404, 404, 404, 404, 404, 404])
  expect((await stranger.register([secret.file])).json).toEqual({ result: 1 })
  expect(await lookFor(stranger, secret)).toEqual(everything(secret))
})

// conformance: Embedded storage / Content is available only in its own repository and ref
test('its own ref reads all of it, with a token for reading or for writing', async () => {
  for (const scope of ['read', 'write']) {
    const own = await stage.caller(`${scope} ${repository}@main`)
    expect(await lookFor(own, secret)).toEqual(everything(secret))
    expect(await own.download(secret.file.hash)).toEqual(secret.bytes)
  }
})
