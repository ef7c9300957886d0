/** An upload that stands still, crawls or takes too long is ended, and nothing of it stays. */

import { setTimeout as pause } from 'node:timers/promises'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head } from '@latchkey/testing/http/raw-line'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { StorageSettings } from '../../src/index.ts'
import { contentOf } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

const { xorb, file } = contentOf('slowly sent')
const half = Math.floor(xorb.bytes.length / 2)

let stage: Stage | undefined
afterEach(() => stage?.close())

/** Everything is patient but for what the test makes otherwise. */
async function open(
  timeouts: Partial<StorageSettings['timeouts']>,
  settings: Partial<StorageSettings> = {},
) {
  const stopwatch = movedStopwatch()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const patient = { idleSeconds: 100_000, totalSeconds: 1_000_000, minBytesPerSecond: 0 }
  stage = await openStage({
    settings: { timeouts: { ...patient, ...timeouts }, ...settings },
    stopwatch: stopwatch.now,
  })
  const repository = await stage.newRepository()
  const writer = await stage.caller(`write ${repository}@main`)
  const begin = async (call: string, length: number, ...bytes: readonly Buffer[]) => {
    const line = await dial(writer.url)
    const [method, path] = call.split(' ')
    const said = [`Content-Length: ${length}`, 'Connection: close']
    const authorization = `Bearer ${writer.token}`
    const target = new URL(writer.url).pathname + path
    line.say(head(`${method} ${target}`, said, { authorization }), ...bytes)
    return line
  }
  return { stage, stopwatch, repository, writer, begin }
}

/** Half a xorb is there. */
async function sending(timeouts: Partial<StorageSettings['timeouts']>) {
  const { begin, stopwatch, stage } = await open(timeouts)
  const { bytes, hash } = xorb
  const line = await begin(`POST /v1/xorbs/default/${hash}`, bytes.length, bytes.subarray(0, half))
  await expect.poll(stage.drafts).toHaveLength(1)
  return { line, stopwatch, ...stage }
}

/** The storage looks for what is late once a second; a second is over when the test says so. */
async function sweep(): Promise<void> {
  await pause(30)
  vi.advanceTimersByTime(1000)
  await pause(30)
}

/** A refusal that was heard to the end of its body. */
const whole = /^HTTP\/1\.1 [\s\S]*\}$/

test.each([
  ['stands still', { idleSeconds: 10 }, 11, 'stopped arriving'],
  ['crawls', { minBytesPerSecond: 1024 }, 25, 'too slowly'],
  ['takes too long', { totalSeconds: 100 }, 101, 'longer than'],
])('an upload that %s is a 408, and leaves nothing behind', async (_, timeouts, seconds, words) => {
  const { line, stopwatch, drafts, objects } = await sending(timeouts)
  await sweep()
  expect(line.heard()).toBe('')
  stopwatch.pass(seconds)
  await sweep()
  const [answer] = answersIn(await line.hears(whole))
  expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([408, 'request_timeout'])
  expect(answer?.body).toContain(words)
  await expect.poll(drafts).toEqual([])
  expect(objects()).toEqual([])
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an upload that moves is not cut, however long it takes', async () => {
  const { line, stopwatch } = await sending({ idleSeconds: 30, minBytesPerSecond: 10 })
  for (const at of [half, half + 500, half + 1000]) {
    stopwatch.pass(25)
    line.say(xorb.bytes.subarray(at, at + 500))
    await sweep()
  }
  line.say(xorb.bytes.subarray(half + 1500))
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200 }])
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('an upload that waits for room is not late: its clock starts when it is read', async () => {
  const timeouts = { idleSeconds: 30, minBytesPerSecond: 10 }
  const { begin, stopwatch } = await open(timeouts, { inFlightBytes: xorb.bytes.length })
  const call = `POST /v1/xorbs/default/${xorb.hash}`
  const first = await begin(call, xorb.bytes.length, xorb.bytes.subarray(0, half))
  await expect.poll(() => stage?.drafts()).toHaveLength(1)
  const second = await begin(call, xorb.bytes.length, xorb.bytes.subarray(0, half))
  for (const at of [half, half + 500, half + 1000]) {
    stopwatch.pass(25)
    first.say(xorb.bytes.subarray(at, at + 500))
    await sweep()
  }
  expect(second.heard()).toBe('')
  first.say(xorb.bytes.subarray(half + 1500))
  await first.toTheEnd()
  await expect.poll(() => stage?.drafts()).toHaveLength(1)
  stopwatch.pass(15)
  await sweep()
  second.say(xorb.bytes.subarray(half))
  expect(answersIn(await second.toTheEnd())).toMatchObject([{ status: 200 }])
})

// conformance: Attacks / 39. An attacker avoids quotas with running uploads, or detects other refs by them
test('a client that sends nothing once there is room for it is cut', async () => {
  const { begin, stopwatch } = await open({ idleSeconds: 30 }, { inFlightBytes: xorb.bytes.length })
  const call = `POST /v1/xorbs/default/${xorb.hash}`
  const first = await begin(call, xorb.bytes.length)
  await expect.poll(() => stage?.drafts()).toHaveLength(1)
  const second = await begin(call, xorb.bytes.length)
  first.say(xorb.bytes)
  await first.toTheEnd()
  await expect.poll(() => stage?.drafts()).toHaveLength(1)
  stopwatch.pass(31)
  await sweep()
  expect(answersIn(await second.hears(whole))).toMatchObject([{ status: 408 }])
})

test('an answer that waits for the storage itself is not cut, however long it stands still', async () => {
  const { stage, stopwatch, writer, begin } = await open({ idleSeconds: 10 })
  await writer.upload(xorb)
  const release = stage.relayed.hold()
  const shard = makeShard({ files: [file], xorbs: [xorb] })
  const line = await begin('POST /v2/shards', shard.length, shard)
  await line.hears('committing')
  await sweep()
  stopwatch.pass(11)
  await sweep()
  expect(line.isOver()).toBe(false)
  release()
  expect(answersIn(await line.toTheEnd())[0]?.body).toContain('{"type":"result","result":1}')
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an answer that the client lets stand still is cut', async () => {
  const { stage, stopwatch, writer, begin } = await open({ idleSeconds: 10 })
  const large = makeXorb(randomChunks('large', 150, 100_000), { scheme: 'none' })
  await writer.upload(large)
  const line = await begin(`GET /v1/xorbs/default/${large.hash}`, 0)
  line.socket.pause()
  const secondsLater = async () => {
    stopwatch.pass(11)
    await sweep()
    return stage.lines.at(-1)
  }
  await expect.poll(secondsLater).toContain('"event":"storage_aborted"')
})
