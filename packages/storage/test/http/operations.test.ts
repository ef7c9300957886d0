/** What an operator sees of a storage, and what nobody finds there. */

import { renameSync } from 'node:fs'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head } from '@latchkey/testing/http/raw-line'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Caller, Recipe } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import { someHash } from './every-route.ts'

const content = contentOf('to be counted')
const { xorb, file } = content

const limits = { failuresPerMinute: 3, connections: 1000 }

let stage: Stage
let writer: Caller
const open = async (stopDeadlineSeconds = 20, stopwatch = () => performance.now()) => {
  stage = await openStage({ settings: { limits, stopDeadlineSeconds }, stopwatch })
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
}
afterEach(() => stage.close())

const logged = () => stage.lines.map((line) => JSON.parse(line) as Record<string, unknown>)

test('too many forged tokens from one address are a 429, and a token that was seen before goes on', async () => {
  await open()
  const call = `GET /v1/chunks/default/${someHash}`
  expect((await writer.ask(call)).status).toBe(404)
  const statuses = []
  for (const letter of 'abcde') {
    const token = `${writer.token.slice(0, -8)}${letter}AAAAAAA`
    const { status, headers } = await writer.ask(call, { token })
    statuses.push(status)
    expect(headers.has('retry-after')).toBe(status === 429)
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect((await writer.ask(call)).status).toBe(404)
})

test('an expired token that comes through a trusted proxy is logged with its id and the address of the client', async () => {
  stage = await openStage({ settings: { trustedProxies: ['127.0.0.1'] } })
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
  stage.world.passSeconds(930)
  // The client wrote the first address itself. The proxy added the second one.
  const headers = { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' }
  const told = await writer.ask(`GET /v1/chunks/default/${someHash}`, { headers })
  expect(told).toMatchObject({ status: 401, code: 'storage_token_invalid' })
  const { jti } = JSON.parse(Buffer.from(writer.token.split('.')[1] ?? '', 'base64url').toString())
  expect(jti).toMatch(/./)
  expect(logged().at(-1)).toMatchObject({
    ...{ event: 'storage_refused', code: 'storage_token_invalid', reason: 'expired' },
    ...{ token: jti, address: '192.0.2.7' },
  })
})

test('no token, no signature and no query reaches the log', async () => {
  await open()
  await put(writer, content)
  await writer.download(file.hash)
  const { json } = await writer.ask(`GET /v2/reconstructions/${file.hash}?secret=canary`)
  const [given] = (json as unknown as Recipe).xorbs[xorb.hash] ?? []
  await writer.fetch(`${given?.url}x`)
  await writer.ask(`GET /v1/chunks/default/${writer.token}`)
  const signature = new URL(given?.url ?? '').searchParams.get('signature') ?? ''
  const whole = stage.lines.join('\n')
  expect(whole).toContain('blob_url_invalid')
  const secrets = [writer.token, writer.token.split('.')[2] ?? '', signature, 'canary']
  for (const secret of secrets) expect(whole).not.toContain(secret)
})

test('every request is one line, with who, what and how it ended', async () => {
  await open()
  await writer.upload(xorb)
  await writer.ask(`GET /v1/chunks/default/${someHash}`)
  await writer.ask('POST /v1/shards', { token: null, body: 'x' })
  const lines = logged().filter(({ event }) => /served|refused|cut/.test(String(event)))
  expect(lines).toMatchObject([
    { event: 'storage_served', status: 200, scope: 'write', method: 'POST', address: '127.0.0.1' },
    { event: 'storage_refused', status: 404, code: 'resource_not_found' },
    { event: 'storage_refused', status: 401, code: 'storage_token_missing' },
  ])
  expect(lines[0]).toMatchObject({ repository: 'models/acme/r1', ref: 'refs/heads/main' })
  const { kid } = JSON.parse(Buffer.from(writer.token.split('.')[0] ?? '', 'base64url').toString())
  expect(lines.map((line) => line['kid'])).toEqual([kid, kid, undefined])
})

test('the metrics say how much all repositories hold, and add it up once a minute', async () => {
  const watch = movedStopwatch()
  await open(20, watch.now)
  const measured = async () => {
    const text = await stage.storage.metrics.text()
    const value = (name: string) =>
      Number(new RegExp(`^latchkey_storage_${name} (\\d+)$`, 'm').exec(text)?.[1])
    const of = ['stored_bytes', 'stored_objects', 'stored_repositories'].map(value)
    expect(text).not.toContain('models/acme')
    return of
  }
  expect(await measured()).toEqual([0, 0, 0])
  await writer.upload(xorb)
  const other = await stage.caller(`write ${await stage.newRepository()}@main`)
  await put(other, content)
  expect(await measured()).toEqual([0, 0, 0])
  watch.pass(60)
  const [bytes = 0, ...counts] = await measured()
  // The xorb twice, for each repository, and a file with its terms.
  expect(bytes).toBeGreaterThan(2 * xorb.bytes.length)
  expect(counts).toEqual([3, 2])
})

const host = '127.0.0.1'

/** As they are served there. */
const metricsAt = async (url = '') => (await fetch(`${url}/metrics`)).text()

test('metrics that clients can read do not tell whether the disk has an upload already', async () => {
  stage = await openStage({ settings: { operations: { host, port: undefined } } })
  const text = await metricsAt(stage.url)
  expect(text).not.toContain('disk_free')
  expect(text).toContain('\nlatchkey_storage_stored_bytes 0\n')
  expect(await stage.storage.metrics.text()).not.toContain('disk_free')
})

test('an upload counts in the metrics as much as the same upload to another repository', async () => {
  const watch = movedStopwatch()
  await open(20, watch.now)
  const shown = async () => {
    watch.pass(60)
    const text = await stage.storage.metrics.text()
    return ['bytes', 'objects'].map((name) =>
      Number(new RegExp(`^latchkey_storage_stored_${name} (\\d+)$`, 'm').exec(text)?.[1]),
    )
  }
  await put(writer, content)
  const once = await shown()
  await put(await stage.caller(`write ${await stage.newRepository()}@main`), content)
  expect(stage.objects()).toHaveLength(1)
  expect(await shown()).toEqual(once.map((amount) => 2 * amount))
})

test('metrics on a listener of their own say how much room the disk has', async () => {
  stage = await openStage({ settings: { operations: { host, port: 0 } } })
  expect(await metricsAt(stage.storage.operationsUrl)).toMatch(
    /^latchkey_storage_disk_free_bytes [1-9]/m,
  )
})

test('a disk that cannot be asked leaves the other metrics as they are', async () => {
  stage = await openStage({ settings: { hasPrivateMetrics: true } })
  const { data } = stage.world.settings
  renameSync(data, `${data}-away`)
  onTestFinished(() => renameSync(`${data}-away`, data))
  const text = await stage.storage.metrics.text()
  expect(text).toContain('\nlatchkey_storage_disk_free_bytes Nan\n')
  expect(text).toContain('\nlatchkey_storage_open_requests 0\n')
})

test('requests are counted by their row of the table, never by their path', async () => {
  await open()
  await writer.ask(`GET /v1/chunks/default/${someHash}`)
  await writer.ask(`GET /somewhere/${someHash}`)
  await writer.upload(xorb)
  const text = await stage.storage.metrics.text()
  expect(text).not.toContain(someHash)
  for (const labels of [
    'route="/v1/chunks/default/{hash}",outcome="resource_not_found"',
    'route="none",outcome="not_found"',
    'route="/v1/xorbs/default/{hash}",outcome="served"',
  ]) {
    expect(text).toContain(`latchkey_storage_requests_total{${labels}} 1`)
  }
})

test('an upload under way when the storage stops is taken to its end', async () => {
  await open()
  const line = await dial(stage.url)
  const path = `${new URL(writer.url).pathname}/v1/xorbs/default/${xorb.hash}`
  const authorization = `Bearer ${writer.token}`
  line.say(head(`POST ${path}`, [`Content-Length: ${xorb.bytes.length}`], { authorization }))
  line.say(xorb.bytes.subarray(0, 1000))
  await expect.poll(stage.drafts).toHaveLength(1)
  const stopped = stage.storage.stop()
  line.say(xorb.bytes.subarray(1000))
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ body: '{"was_inserted":true}' }])
  await stopped
  expect(stage.drafts()).toEqual([])
  expect(logged().at(-1)).toMatchObject({ event: 'storage_stopped' })
})

test('an upload that does not end by then is cut, and nothing of it stays', async () => {
  await open(0)
  const line = await dial(stage.url)
  const path = `${new URL(writer.url).pathname}/v1/xorbs/default/${xorb.hash}`
  const authorization = `Bearer ${writer.token}`
  line.say(head(`POST ${path}`, ['Content-Length: 1000'], { authorization }), 'begin')
  await expect.poll(stage.drafts).toHaveLength(1)
  await stage.storage.stop()
  expect(await line.toTheEnd()).toBe('')
  expect([stage.drafts(), stage.objects()]).toEqual([[], []])
})
