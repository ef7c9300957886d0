/** A blob URL opens the bytes it was made for, to whom it was told, for as long as it says, and nothing else. */

import { isRefusal, parseRepoRef } from '@latchkey/protocol'
import { makeFile } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { type Caller, type Recipe, rangeOf } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, put } from './content.ts'

const leewaySeconds = 20
const content = contentOf('behind a URL', 5)
const { xorb } = content
const part = makeFile([{ xorb, start: 1, end: 3 }])

let stage: Stage
let repository: string
let owner: Caller
let url: URL
let range: string
beforeAll(async () => {
  stage = await openStage({ settings: { leewaySeconds } })
})
afterAll(() => stage.close())
beforeEach(async () => {
  repository = await stage.newRepository()
  owner = await stage.caller(`write ${repository}@main`)
  await put(owner, { ...content, file: part })
  ;({ url, range } = await given(owner))
})

/** The URL for the middle of the xorb, and the range that goes with it. */
async function given(caller: Caller) {
  const { json } = await caller.ask(`GET /v2/reconstructions/${part.hash}`)
  const [first] = (json as unknown as Recipe).xorbs[xorb.hash] ?? []
  const [run] = first?.ranges ?? []
  if (first === undefined || run === undefined) throw new Error('no URL was given')
  return { url: new URL(first.url), range: rangeOf(run.bytes), bytes: run.bytes }
}

const get = (at: URL | string, headers: Record<string, string> = { range }) =>
  owner.fetch(String(at), { headers })

async function expectRefused(at: URL | string, headers?: Record<string, string>) {
  const told = await get(at, headers)
  expect([told.status, told.code], String(at)).toEqual([403, 'blob_url_invalid'])
  // No token would help, so none is asked for.
  expect(told.headers.get('www-authenticate')).toBeNull()
}

// conformance: Attacks / 26. An attacker reuses the URL of a blob
test('with anything of it changed it opens nothing', async () => {
  const other = await given(owner)
  for (const [name, value] of url.searchParams) {
    const changed = new URL(url)
    changed.searchParams.set(
      name,
      value.replace(/.$/, (last) => (last === '7' ? '8' : '7')),
    )
    await expectRefused(changed)
    changed.searchParams.delete(name)
    await expectRefused(changed)
  }
  const swapped = new URL(url)
  swapped.searchParams.set('expires', String(stage.world.now() + 301))
  await expectRefused(swapped)
  expect((await get(other.url)).status).toBe(206)
})

test('it opens nothing for another repository, xorb or token', async () => {
  const elsewhere = await stage.newRepository()
  const stranger = await stage.caller(`write ${elsewhere}@main`)
  await put(stranger, { ...content, file: part })
  const theirs = (await given(stranger)).url
  const moved = new URL(url)
  moved.pathname = theirs.pathname
  await expectRefused(moved)
  const signed = new URL(theirs)
  signed.searchParams.set('signature', url.searchParams.get('signature') ?? '')
  await expectRefused(signed)
  const again = (await given(await stage.caller(`write ${repository}@main`))).url
  expect(again.searchParams.get('token')).not.toBe(url.searchParams.get('token'))
  again.searchParams.set('signature', url.searchParams.get('signature') ?? '')
  await expectRefused(again)
  const renamed = new URL(url)
  renamed.pathname = url.pathname.replace(xorb.hash, contentOf('another').xorb.hash)
  await expectRefused(renamed)
})

// conformance: Attacks / 26. An attacker reuses the URL of a blob
test('it opens no other bytes, and not all of them', async () => {
  const { bytes } = await given(owner)
  const others = [
    `bytes=${bytes.start - 1}-${bytes.end}`,
    `bytes=${bytes.start}-${bytes.end + 1}`,
    `bytes=${bytes.start}-`,
    'bytes=-10',
    'bytes=0-0',
    `${range},0-0`,
    'chunks=1-2',
  ]
  for (const other of others) await expectRefused(url, { range: other })
  await expectRefused(url, {})
  const within = await get(url, { range: `bytes=${bytes.start + 8}-${bytes.end - 1}` })
  expect(within.status).toBe(206)
  expect(within.bytes).toEqual(xorb.bytes.subarray(bytes.start + 8, bytes.end))
})

// conformance: Attacks / 26. An attacker reuses the URL of a blob
test('it is over after five minutes', async () => {
  stage.world.passSeconds(299)
  expect((await get(url)).status).toBe(206)
  stage.world.passSeconds(1)
  await expectRefused(url)
})

// conformance: Attacks / 26. An attacker reuses the URL of a blob
test('it is over when its token is taken no more', async () => {
  stage.world.passSeconds(800)
  const late = await given(owner)
  stage.world.passSeconds(100 + leewaySeconds - 1)
  expect((await get(late.url)).status).toBe(206)
  expect((await owner.ask(`GET /v1/xorbs/default/${xorb.hash}`)).status).toBe(200)
  stage.world.passSeconds(1)
  await expectRefused(late.url)
  expect((await owner.ask(`GET /v1/xorbs/default/${xorb.hash}`)).status).toBe(401)
})

test('it opens nothing after what it opened is forgotten', async () => {
  const maintenance = stage.maintenance
  const repo = parseRepoRef(repository)
  if (repo === undefined) throw new Error('no such repository')
  const gone = await deleteContent(
    maintenance,
    { repository: repo, hash: xorb.hash },
    { isDryRun: false },
  )
  expect(isRefusal(gone)).toBe(false)
  expect((await get(url)).code).toBe('resource_not_found')
})

test.each(['ref', 'repo'])('it opens nothing after the %s is deleted', async (kind) => {
  const what = kind === 'ref' ? { repository, ref: 'main' } : { repository }
  await stage.world.done(`${kind} delete`, what)
  const told = await get(url)
  expect([told.status, told.code]).toEqual([404, 'resource_not_found'])
})

test('it takes no body, and no method but GET and HEAD without a token', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const told = await owner.fetch(String(url), { method, headers: { range } })
    expect([told.status, told.code], method).toEqual([401, 'storage_token_missing'])
    const authorization = `Bearer ${owner.token}`
    const known = await owner.fetch(String(url), { method, headers: { range, authorization } })
    expect([known.status, known.code], method).toEqual([404, 'not_found'])
  }
})

test('HEAD tells what GET would give', async () => {
  const [head, whole] = await Promise.all([
    owner.fetch(String(url), { method: 'HEAD', headers: { range } }),
    get(url),
  ])
  expect([head.status, head.bytes.length]).toEqual([206, 0])
  for (const name of ['content-length', 'content-range', 'accept-ranges', 'cache-control']) {
    expect(head.headers.get(name), name).toBe(whole.headers.get(name))
  }
})

test('it opens exactly its bytes, to whoever was told it', async () => {
  const { bytes } = await given(owner)
  const told = await get(url)
  expect(told.status).toBe(206)
  expect(told.bytes).toEqual(xorb.bytes.subarray(bytes.start, bytes.end + 1))
  const place = `bytes ${bytes.start}-${bytes.end}/${xorb.bytes.length}`
  expect(told.headers.get('content-range')).toBe(place)
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('who reads with it is in the log, by account and by storage token', async () => {
  const lineOf = async (at: URL) => {
    const before = stage.lines.length
    await get(at)
    await expect.poll(() => stage.lines.length, { timeout: 30_000 }).toBe(before + 1)
    return JSON.parse(stage.lines.at(-1) ?? '')
  }
  const { id } = await stage.world.done('account show', { account: 'writer' })
  const jti = url.searchParams.get('token')
  expect(jti).toMatch(/^[a-z2-7]{26}$/)
  const kid = url.searchParams.get('key')
  expect(kid).toMatch(/^[\w-]{43}$/)
  expect(await lineOf(url)).toMatchObject({ event: 'storage_served', subject: id, token: jti, kid })
  const forged = new URL(url)
  forged.searchParams.set('by', 'somebody')
  const line = await lineOf(forged)
  expect(line).toMatchObject({ event: 'storage_refused', code: 'blob_url_invalid' })
  expect([line.subject, line.token]).toEqual([undefined, undefined])
})
