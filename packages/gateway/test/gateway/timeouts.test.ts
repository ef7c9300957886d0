/** Whatever stands still, crawls or lasts too long is ended, by the name of whose fault it is, and nothing else is. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gatewaySettings, openGateway } from '@latchkey/testing/gate/gateway'
import { prefix } from '@latchkey/testing/gate/storage-tokens'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fullListener } from './full-listener.ts'

const shards = `POST ${prefix}/v1/shards`
const chunk = `GET ${prefix}/v1/chunks/default/abc`
const close = 'Connection: close'

interface Timeouts {
  readonly connectSeconds?: number
  readonly headersSeconds?: number
  readonly idleSeconds?: number
  readonly totalSeconds?: number
  readonly minBytesPerSecond?: number
}

/** Everything is patient but for what the test makes otherwise. */
async function open(upstream: string, timeouts: Timeouts) {
  const { work } = gatewaySettings('http://x', upstream)
  if (work.kind !== 'forward') throw new Error('the fixture forwards')
  const patient = {
    connectSeconds: 60,
    headersSeconds: 60,
    idleSeconds: 100_000,
    totalSeconds: 1_000_000,
    minBytesPerSecond: 0,
  }
  const stopwatch = movedStopwatch()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const opened = await openGateway(
    upstream,
    { work: { ...work, timeouts: { ...patient, ...timeouts } } },
    { stopwatch: stopwatch.now },
  )
  return { ...opened, stopwatch }
}

/** The gateway looks for what is late once a second; a second is over when the test says so. */
async function sweep(): Promise<void> {
  await pause(30)
  vi.advanceTimersByTime(1000)
  await pause(30)
}

/** A refusal that was heard to the end of its body. */
const whole = /^HTTP\/1\.1 [\s\S]*\}$/

const codeIn = (heard: string) => {
  const [answer] = answersIn(heard)
  return [answer?.status, JSON.parse(answer?.body ?? '{}').code]
}

/** Takes what comes and says nothing until told to. */
const silent = () => rawUpstream()

async function upstreamThat(says: string) {
  return rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(says)
  })
}

/** An upload under way: its beginning has reached the storage. */
async function uploading(url: string, upstream: Awaited<ReturnType<typeof silent>>, length = 1000) {
  const line = await dial(url)
  line.say(head(shards, [`Content-Length: ${length}`, close]), 'begin')
  const storage = await upstream.line(0)
  await storage.hears('begin')
  return { line, storage }
}

const done = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone'

test('a storage that takes no connection in time is a 504', async () => {
  const { gateway } = await open(await fullListener(), { connectSeconds: 1 })
  const started = performance.now()
  const heard = await saidAlone(gateway.url, head(chunk, [close]))
  expect(codeIn(heard)).toEqual([504, 'upstream_timeout'])
  expect(performance.now() - started).toBeLessThan(9000)
})

test('a client that leaves while the storage takes no connection is let go of', async () => {
  const { gateway, logLines } = await open(await fullListener(), { connectSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 5']), 'hello')
  await pause(100)
  line.socket.destroy()
  await expect.poll(() => logLines.at(-1)).toContain('"event":"request_aborted"')
  expect(logLines.at(-1)).toContain('"by":"client"')
})

test('a storage that refuses the connection is a 502', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  const port = typeof address === 'object' ? address?.port : undefined
  const { gateway } = await open(`http://127.0.0.1:${port}`, {})
  const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 2', close]), 'ok')
  expect(codeIn(heard)).toEqual([502, 'upstream_unreachable'])
  expect(heard).toMatch(/\r\nRetry-After: \d+\r\n/)
})

test('a storage that does not begin to answer is a 504, and its connection is left', async () => {
  const upstream = await silent()
  const { gateway, logLines } = await open(upstream.url, { headersSeconds: 1 })
  const heard = await saidAlone(gateway.url, head(shards, ['Content-Length: 2', close]), 'ok')
  expect(codeIn(heard)).toEqual([504, 'upstream_timeout'])
  expect(logLines.at(-1)).toContain('"code":"upstream_timeout"')
  await expect.poll(() => upstream.lines.map((line) => line.isOver())).toEqual([true])
})

test('the time to begin an answer counts from the end of the upload', async () => {
  const upstream = await silent()
  const { gateway } = await open(upstream.url, { headersSeconds: 1 })
  const { line, storage } = await uploading(gateway.url, upstream, 10)
  await pause(3000)
  line.say('rest!')
  await storage.hears('rest!')
  storage.say(done)
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200 }])
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an upload that stands still is a 408, and the storage sees it broken', async () => {
  const upstream = await silent()
  const { gateway, stopwatch, logLines } = await open(upstream.url, { idleSeconds: 10 })
  const { line, storage } = await uploading(gateway.url, upstream)
  await sweep()
  expect(line.heard()).toBe('')
  stopwatch.pass(11)
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([408, 'request_timeout'])
  await expect.poll(() => storage.isOver()).toBe(true)
  await expect
    .poll(() => logLines.at(-1), { timeout: 60_000 })
    .toContain('"code":"request_timeout"')
})

test('an upload that never begins is a 408', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { idleSeconds: 10 })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 1000', close]))
  await sweep()
  stopwatch.pass(11)
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([408, 'request_timeout'])
})

test('a download that the storage lets stand still is cut, and never looks whole', async () => {
  const upstream = await upstreamThat(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
  )
  const { gateway, stopwatch, logLines } = await open(upstream.url, { idleSeconds: 10 })
  const line = await dial(gateway.url)
  line.say(head(chunk))
  await line.hears('half')
  await sweep()
  expect(line.isOver()).toBe(false)
  stopwatch.pass(11)
  await sweep()
  const heard = await line.toTheEnd()
  expect(() => answersIn(heard)).toThrow()
  await expect.poll(() => logLines.at(-1)).toContain('"event":"request_aborted"')
  expect(logLines.at(-1)).toContain('"by":"gate"')
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
})

test('a download that the client lets stand still is cut', async () => {
  const length = 64 * 1024 * 1024
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`, Buffer.alloc(length))
  })
  const { gateway, stopwatch, logLines } = await open(upstream.url, { idleSeconds: 10 })
  const line = await dial(gateway.url)
  line.socket.pause()
  line.say(head(chunk))
  const storage = await upstream.line(0)
  await sweep()
  await sweep()
  expect(storage.isOver()).toBe(false)
  // It moves until every buffer on its way is full.
  const isCut = async () => {
    stopwatch.pass(11)
    await sweep()
    return storage.isOver()
  }
  await expect.poll(isCut).toBe(true)
  expect(logLines.join('')).toMatch(/"request_aborted".*"by":"gate"/)
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an upload that crawls is a 408', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { minBytesPerSecond: 1024 })
  const { line } = await uploading(gateway.url, upstream, 1_000_000)
  stopwatch.pass(25)
  line.say('a little')
  await sweep()
  const heard = await line.hears(whole)
  expect(codeIn(heard)).toEqual([408, 'request_timeout'])
  expect(heard).toContain('too slowly')
})

test('an upload that begins well and then crawls is a 408', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { minBytesPerSecond: 1024 })
  const { line, storage } = await uploading(gateway.url, upstream, 1_000_000)
  line.say(Buffer.alloc(200_000, 46))
  await storage.hears((heard) => heard.endsWith('.'.repeat(200_000)))
  stopwatch.pass(25)
  await sweep()
  expect(line.heard()).toBe('')
  line.say('a little')
  stopwatch.pass(25)
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([408, 'request_timeout'])
})

test('an upload that keeps the pace is not cut, however long it takes', async () => {
  const upstream = await silent()
  const change = { minBytesPerSecond: 1024, idleSeconds: 30 }
  const { gateway, stopwatch } = await open(upstream.url, change)
  const { line, storage } = await uploading(gateway.url, upstream, 5 + 3 * 30_000)
  for (let count = 1; count <= 3; count += 1) {
    line.say(Buffer.alloc(30_000, 46))
    await storage.hears((heard) => heard.endsWith('.'.repeat(count * 30_000)))
    stopwatch.pass(25)
    await sweep()
  }
  storage.say(done)
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'done' }])
})

test('a download that moves is not cut, however slow', async () => {
  const upstream = await upstreamThat('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')
  const change = { minBytesPerSecond: 1024, idleSeconds: 30 }
  const { gateway, stopwatch } = await open(upstream.url, change)
  const line = await dial(gateway.url)
  line.say(head(chunk, [close]))
  await line.hears('\r\n\r\n')
  for (const letter of 'slow!') {
    ;(await upstream.line(0)).say(letter)
    await line.hears(letter)
    stopwatch.pass(25)
    await sweep()
  }
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'slow!' }])
})

test('an upload that waits for the storage is not the client’s fault', async () => {
  const upstream = await rawUpstream(({ socket }) => void socket.pause())
  const { gateway, stopwatch } = await open(upstream.url, { minBytesPerSecond: 1024 })
  const length = 32 * 1024 * 1024
  const line = await dial(gateway.url)
  line.say(head(shards, [`Content-Length: ${length}`, close]), Buffer.alloc(length, 46))
  const storage = await upstream.line(0)
  for (let count = 0; count < 2; count += 1) {
    await sweep()
    stopwatch.pass(25)
  }
  await sweep()
  expect(line.isOver()).toBe(false)
  let read = 0
  storage.socket.removeAllListeners('data')
  storage.socket.on('data', (data) => {
    read += data.length
    if (read > length) storage.say(done)
  })
  storage.socket.resume()
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'done' }])
})

test('a storage that stops reading an upload is a 504', async () => {
  const upstream = await rawUpstream(({ socket }) => void socket.pause())
  const { gateway, stopwatch } = await open(upstream.url, { idleSeconds: 10 })
  const length = 32 * 1024 * 1024
  const line = await dial(gateway.url)
  line.say(head(shards, [`Content-Length: ${length}`, close]), Buffer.alloc(length, 46))
  await upstream.line(0)
  const answer = line.hears(whole)
  // On a busy machine the buffers between here and the storage take a while to fill.
  const isAnswered = answer.then(() => true)
  do stopwatch.pass(11)
  while (!(await Promise.race([isAnswered, sweep()])))
  expect(codeIn(await answer)).toEqual([504, 'upstream_timeout'])
})

test('an upload that waits for a connection to the storage is not the client’s fault', async () => {
  const { gateway, stopwatch } = await open(await fullListener(), {
    connectSeconds: 4,
    idleSeconds: 10,
  })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 1000', close]), 'begin')
  await sweep()
  stopwatch.pass(11)
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([504, 'upstream_timeout'])
})

test('a storage may work on a whole request without anything moving', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { idleSeconds: 10 })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 5', close]), 'hello')
  await (await upstream.line(0)).hears('hello')
  await sweep()
  stopwatch.pass(30)
  await sweep()
  ;(await upstream.line(0)).say(done)
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'done' }])
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an upload that takes longer than anything may is a 408', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { totalSeconds: 60 })
  const { line } = await uploading(gateway.url, upstream)
  stopwatch.pass(59)
  line.say('more')
  await sweep()
  expect(line.heard()).toBe('')
  stopwatch.pass(2)
  line.say('more')
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([408, 'request_timeout'])
})

test('a storage that works longer than anything may is a 504', async () => {
  const upstream = await silent()
  const { gateway, stopwatch } = await open(upstream.url, { totalSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(chunk, [close]))
  await (await upstream.line(0)).hears('\r\n\r\n')
  stopwatch.pass(61)
  await sweep()
  expect(codeIn(await line.hears(whole))).toEqual([504, 'upstream_timeout'])
})

test('a download that takes longer than anything may is cut, though it moves', async () => {
  const upstream = await upstreamThat('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf')
  const { gateway, stopwatch } = await open(upstream.url, { totalSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(chunk, [close]))
  await line.hears('half')
  const storage = await upstream.line(0)
  stopwatch.pass(59)
  storage.say('...')
  await sweep()
  expect(line.isOver()).toBe(false)
  stopwatch.pass(2)
  storage.say('...')
  await sweep()
  const heard = await line.toTheEnd()
  expect(() => answersIn(heard)).toThrow()
})
