/** An upload or download under way ends when its token is taken back, whatever it waits for; others go on. */

import { rounds } from '@latchkey/testing/chance'
import { dial, head, type RawLine } from '@latchkey/testing/http/raw-line'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, type Recipe, rangeOf } from '../caller.ts'
import { contentOf } from '../isolation/content.ts'
import { openRevokedStage, type RevokedStage } from './revoked-stage.ts'
import { type Taking, takings } from './takings.ts'

/** More than the buffers of both ends take. */
const large = makeXorb(randomChunks('large', 160, 128 * 1024), { scheme: 'none' })
const file = makeFile([{ xorb: large }])
const small = contentOf('small')

let stage: RevokedStage
beforeAll(async () => {
  // The time for which an upload waits for the hub does not pass.
  const stopwatch = () => 0
  stage = await openRevokedStage({ settings: { inFlightBytes: 40 * 1024 * 1024 }, stopwatch })
})
afterAll(() => stage?.close())

const branchDeleted = takings['whose branch was deleted'] as Taking
const hubTokenRevoked = takings['whose hub token was revoked'] as Taking

/** Announces an upload, and waits until the storage reads it. */
async function announce({ url, token }: Caller, path: string, bytes: number): Promise<RawLine> {
  const line = await dial(stage.url)
  const said = [`Content-Length: ${bytes}`, 'Expect: 100-continue']
  const method = path.startsWith('/v1/files') ? 'PUT' : 'POST'
  const target = `${method} ${new URL(url).pathname}${path}`
  line.say(head(target, said, { authorization: `Bearer ${token}` }))
  return line
}

const xorbPath = ({ xorb }: typeof small) => `/v1/xorbs/default/${xorb.hash}`
const goOn = /^HTTP\/1\.1 100 Continue/
const refused = /HTTP\/1\.1 401 .*"code":"storage_token_invalid"/s

/** The line of the log about a request that has this in it. */
async function lineAbout(what: Readonly<Record<string, unknown>>) {
  const found = () =>
    stage.lines.map((line) => JSON.parse(line)).filter((line) => matches(line, what))
  await expect.poll(() => found().length, { timeout: 30_000 }).toBeGreaterThan(0)
  return found().at(-1)
}

function matches(line: Record<string, unknown>, what: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(what).every(([name, value]) => line[name] === value)
}

const tokenIn = ({ token }: Caller): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti

describe.each(Object.entries(takings))('with a token %s', (_, taking) => {
  // conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
  test('a xorb and shards that are being sent are refused, and leave nothing', async () => {
    const taken = await stage.newTaken()
    const victim = await stage.victim(taken, taking.revision)
    const before = [await stage.rows(), stage.objects()]
    const paths = [xorbPath(small), '/v1/shards', '/v2/shards']
    const lines = await Promise.all(paths.map((path) => announce(victim, path, 1000)))
    for (const line of lines) {
      await line.hears(goOn)
      line.say('half of it')
    }
    await stage.take(taking, taken)
    for (const line of lines) {
      await line.hears(refused)
      // The storage would wait for the other half to flow away.
      line.socket.destroy()
    }
    const left = () => [...stage.drafts(), ...stage.objects()]
    await expect.poll(left, { timeout: 30_000 }).toEqual(before[1])
    expect(await stage.rows()).toEqual(before[0])
    const said = { event: 'storage_refused', token: tokenIn(victim) }
    expect(await lineAbout(said)).toMatchObject({ status: 401, reason: 'revoked' })
  })
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('the part of a plain file that is being sent is refused, and is not kept', async () => {
  const taken = await stage.newTaken()
  const victim = await stage.victim(taken, 'main')
  const line = await announce(victim, '/v1/files?upload=up', 1000)
  await line.hears(goOn)
  line.say('half of it')
  await expect.poll(() => stage.drafts(), { timeout: 30_000 }).toHaveLength(1)
  await stage.take(hubTokenRevoked, taken)
  await line.hears(refused)
  line.socket.destroy()
  await expect.poll(() => stage.drafts(), { timeout: 30_000 }).toEqual([])
  const again = await stage.caller(`write ${taken.repository}@main`)
  const state = await again.ask('HEAD /v1/files?upload=up')
  expect([state.status, state.headers.get('upload-offset')]).toEqual([200, '0'])
})

/** To bring in what is read takes long: until a soak two of the takings are tried, of a place and of a hub token. */
const downloadsTaken = Object.entries(takings).filter(
  ([, taking]) => rounds(0, 1) === 1 || taking === branchDeleted || taking === hubTokenRevoked,
)

describe.each(downloadsTaken)('with a token %s', (_, taking) => {
  // conformance: Attacks / 48. An attacker continues to use a token after access was removed
  test('a download by token, and one by URL, are cut in the middle', async () => {
    const taken = await stage.newTaken()
    const victim = await stage.victim(taken, taking.revision)
    expect((await victim.upload(large)).status).toBe(200)
    expect((await victim.register([file], [large])).status).toBe(200)
    const lines = [await download(victim), await downloadByUrl(victim)]
    await stage.take(taking, taken)
    const cut = { event: 'storage_aborted', token: tokenIn(victim), reason: 'revoked' }
    expect(await lineAbout({ ...cut, code: 'storage_token_invalid' })).toMatchObject({
      status: 200,
    })
    expect(await lineAbout({ ...cut, code: 'blob_url_invalid' })).toMatchObject({ status: 206 })
    for (const line of lines) {
      line.socket.resume()
      expect((await line.toTheEnd()).length).toBeLessThan(large.bytes.length)
    }
  })
})

/** Begins to read, and then leaves the rest unread. */
async function begun(target: string, more: readonly string[], authorization: string | null) {
  const line = await dial(stage.url)
  line.say(head(`GET ${target}`, more, { authorization }))
  await line.hears(/\r\n\r\n/)
  line.socket.pause()
  return line
}

function download({ url, token }: Caller): Promise<RawLine> {
  const { pathname } = new URL(url)
  return begun(`${pathname}/v1/xorbs/default/${large.hash}`, [], `Bearer ${token}`)
}

async function downloadByUrl(caller: Caller): Promise<RawLine> {
  const { json } = await caller.ask(`GET /v2/reconstructions/${file.hash}`)
  const [first] = (json as unknown as Recipe).xorbs[large.hash] ?? []
  const [run] = first?.ranges ?? []
  if (first === undefined || run === undefined) throw new Error('no URL was given')
  const { pathname, search } = new URL(first.url)
  return begun(pathname + search, [`Range: ${rangeOf(run.bytes)}`], null)
}

describe('with a token that was taken back while its request waits', () => {
  test('for room, an upload is refused before it is read', async () => {
    const taken = await stage.newTaken()
    const victim = await stage.victim(taken, 'main')
    const first = await announce(victim, xorbPath(small), 40 * 1024 * 1024)
    await first.hears(goOn)
    const second = await announce(victim, xorbPath(small), 40 * 1024 * 1024)
    await stage.take(branchDeleted, taken)
    expect(await second.hears(refused)).not.toMatch(goOn)
    await first.hears(refused)
  })

  test('for the hub, an upload is refused at once, and is not stored when the hub is back', async () => {
    const taken = await stage.newTaken()
    const victim = await stage.victim(taken, 'main')
    const before = [await stage.rows(), stage.objects()]
    const away = stage.relayed.cut()
    const sent = victim.upload(small.xorb)
    await expect.poll(away.failed).toBeGreaterThan(0)
    await stage.takeQuietly(hubTokenRevoked, taken)
    // As the next poll would.
    await stage.news.refresh()
    const told = await sent
    expect([told.status, told.code]).toEqual([401, 'storage_token_invalid'])
    away.mend()
    const left = () => [...stage.drafts(), ...stage.objects()]
    await expect.poll(left, { timeout: 30_000 }).toEqual(before[1])
    expect(await stage.rows()).toEqual(before[0])
  })
})

test('an upload that runs when the hub falls silent ends with the life of its last head', async () => {
  const taken = await stage.newTaken()
  const line = await announce(await stage.victim(taken, 'main'), xorbPath(small), 1000)
  await line.hears(goOn)
  stage.news.withhold()
  await line.hears(/HTTP\/1\.1 503 .*"code":"gate_not_ready"/s)
  stage.news.give()
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('leaving one namespace ends nothing of that account elsewhere', async () => {
  const { world } = stage
  const elsewhere = 'models/elsewhere/bert'
  await world.done('namespace create', { name: 'elsewhere' })
  await world.done('member set', { namespace: 'elsewhere', account: 'writer', role: 'write' })
  await world.done('repo create', { repository: elsewhere, visibility: 'private' })
  await stage.newBranch(elsewhere, 'main')
  const taken = await stage.newTaken()
  const victim = await stage.victim(taken, 'main')
  const spared = await stage.victim({ ...taken, repository: elsewhere }, 'main')
  const { bytes } = small.xorb
  const ending = await announce(victim, xorbPath(small), bytes.length)
  const going = await announce(spared, xorbPath(small), bytes.length)
  for (const line of [ending, going]) {
    await line.hears(goOn)
    line.say(bytes.subarray(0, 100))
  }
  await stage.take(takings['whose account left the namespace'] as Taking, taken)
  await ending.hears(refused)
  going.say(bytes.subarray(100))
  await going.hears('"was_inserted":true')
})

test('a shard that tells how far it is is cut while it waits, and registers nothing', async () => {
  const taken = await stage.newTaken()
  const victim = await stage.victim(taken, 'main')
  expect((await victim.upload(small.xorb)).status).toBe(200)
  const before = await stage.rows()
  const away = stage.relayed.cut()
  const shard = makeShard({ files: [small.file], xorbs: [small.xorb] })
  // The hub is away for its last step only: its answer has begun.
  const line = await announce(victim, '/v2/shards', shard.length)
  await line.hears(goOn)
  line.say(shard)
  await line.hears('"committing"')
  await expect.poll(away.failed).toBeGreaterThan(0)
  await stage.takeQuietly(hubTokenRevoked, taken)
  await stage.news.refresh()
  expect(await line.toTheEnd()).not.toContain('"result"')
  away.mend()
  await expect.poll(() => stage.drafts(), { timeout: 30_000 }).toEqual([])
  expect(await stage.rows()).toEqual(before)
})
