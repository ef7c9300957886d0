/** Newer clients ask for a grant before each xorb: with content on a disk the answer is always 404, so that they send it. */

import { dial, head } from '@latchkey/testing/http/raw-line'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller, Told } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const [own, far, absent] = [contentOf('own'), contentOf('far'), contentOf('absent')] as const

let stage: Stage
let writer: Caller
let reader: Caller
beforeAll(async () => {
  stage = await openStage()
  const repository = await stage.newRepository()
  writer = await stage.caller(`write ${repository}@main`)
  reader = await stage.caller(`read ${repository}@main`)
  await put(writer, own)
  await put(await stage.caller(`write ${await stage.newRepository()}@main`), far)
})
afterAll(() => stage.close())

const wish = JSON.stringify({ length: 3000, checksum: { algo: 'crc64nvme', value: 'AAAA' } })
const grantOf = (hash: string) => `POST /v1/xorb-grants/default/${hash}`
const commitOf = (hash: string) => `POST /v1/xorb-commits/default/${hash}/grant/abc`
const calls = [
  ['a grant', grantOf, 'not_found'],
  [
    'a grant of another prefix',
    (hash: string) => `POST /v1/xorb-grants/other/${hash}`,
    'not_found',
  ],
  ['the commit of a grant', commitOf, 'resource_not_found'],
] as const

test.each(calls)('%s with a token for reading is a 403', async (_, call) => {
  const told = await reader.ask(call(own.xorb.hash), { body: wish })
  expect([told.status, told.code]).toEqual([403, 'insufficient_scope'])
})

test.each(calls)('%s without a token is a 401', async (_, call) => {
  const told = await writer.ask(call(own.xorb.hash), { body: wish, token: null })
  expect([told.status, told.code]).toEqual([401, 'storage_token_missing'])
})

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test.each(calls)(
  '%s is a 404, the same for what is there, elsewhere or nowhere',
  async (_, call, code) => {
    const gist = ({ status, json }: Told) => ({ ...json, status, requestId: undefined })
    const told = [own, far, absent].map(({ xorb }) => writer.ask(call(xorb.hash), { body: wish }))
    const [one, ...others] = (await Promise.all(told)).map(gist)
    expect(one).toMatchObject({ status: 404, code })
    expect(others).toEqual([one, one])
  },
)

test.each([grantOf, commitOf])('a body that is too long is not waited for', async (call) => {
  const [, path = ''] = call(own.xorb.hash).split(' ')
  const line = await dial(stage.url)
  const authorization = `Bearer ${writer.token}`
  const said = ['Content-Length: 1000000000', 'Expect: 100-continue']
  line.say(head(`POST ${new URL(writer.url).pathname}${path}`, said, { authorization }))
  expect(await line.hears(/\}$/)).toMatch(/^HTTP\/1\.1 404 /)
})

test('the upload that follows goes over the same connection', async () => {
  const line = await dial(stage.url)
  const { pathname } = new URL(writer.url)
  const authorization = `Bearer ${writer.token}`
  const { hash, bytes } = contentOf('sent after all').xorb
  const post = (path: string, length: number) =>
    head(`POST ${pathname}${path}`, [`Content-Length: ${length}`], { authorization })
  line.say(post(`/v1/xorb-grants/default/${hash}`, wish.length), wish)
  await line.hears(/^HTTP\/1\.1 404 [\s\S]*\}$/)
  line.say(post(`/v1/xorbs/default/${hash}`, bytes.length), bytes)
  await line.hears('"was_inserted":true')
})
