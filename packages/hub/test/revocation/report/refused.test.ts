/** Reports that are refused, each by its status. */

import { isRefusal } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  maxBytesInAll,
  maxInAll,
  maxOfOneNetwork,
  maxTokensInAll,
  type ReportAdmission,
  type ReportLimits,
  reportLimits,
  reportsPerMinute,
  tokensPerMinute,
  tokensPerMinuteInAll,
  uncountedBytes,
} from '../../../src/revocation/report/report-limits.ts'
import { movedWindows } from './moved-windows.ts'
import { codeIn, post } from './post.ts'
import { cutsIn } from './taken-back.ts'

async function start(change: SettingsChange = {}): Promise<World> {
  const world = await startWorld(acme, change)
  onTestFinished(() => world.close())
  return world
}

test('400, 413 and 415: the body is no report, too large or not JSON, and nothing is written', async () => {
  const world = await start()
  const before = await cutsIn(world)
  expect(codeIn(await post(world, { token: 1 }))).toEqual([400, 'bad_request'])
  const large = JSON.stringify({ token: 'a'.repeat(1024 * 1024) })
  expect(codeIn(await post(world, large))).toEqual([413, 'body_too_large'])
  const plain = { headers: { 'content-type': 'text/plain' } }
  expect(codeIn(await post(world, 'token=a', plain))).toEqual([415, 'unsupported_media_type'])
  expect(await cutsIn(world)).toEqual(before)
})

test('a body of almost 1 MiB is read', async () => {
  const world = await start()
  const token = 'a'.repeat(1024 * 1024 - 100)
  expect((await post(world, { token })).status).toBe(202)
})

test('404: the operator has turned the route off', async () => {
  const world = await start({ revoke: { enabled: false } })
  expect(codeIn(await post(world, { token: 'a' }))).toEqual([404, 'not_found'])
})

test('405: another method', async () => {
  const world = await start()
  const { status, headers } = await post(world, {}, { method: 'PUT' })
  expect([status, headers.get('allow')]).toEqual([405, 'POST'])
})

test('429: too many reports from one network, whatever was in them; others are not affected', async () => {
  const world = await start({ trustedProxies: ['127.0.0.1'] })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  // Malformed ones count too, and wait for no window.
  for (let each = 0; each < reportsPerMinute; each += 1) {
    const address = `2001:db8::${each.toString(16)}`
    expect((await post(world, {}, from(address))).status).toBe(400)
  }
  const refused = await post(world, { token: 'a' }, from('2001:db8::ffff'))
  expect(codeIn(refused)).toEqual([429, 'rate_limited'])
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await post(world, { token: 'a' }, from('2001:db8:0:1::1'))).status).toBe(202)
  world.passSeconds(1)
  expect((await post(world, { token: 'a' }, from('2001:db8::ffff'))).status).toBe(202)
})

describe('503 with Retry-After', () => {
  test('the commit failed: every report of the window is told so, with live tokens or not', async () => {
    const { send, untilAnswered, failures, rows } = await movedWindows(() => async () => {
      throw new Error('no disk')
    })
    const sent = [send(['live one']), send(['invented'])]
    await untilAnswered(...sent)
    for (const { answer } of sent) {
      expect(answer?.json()).toMatchObject({ status: 503, code: 'not_ready' })
      expect(answer?.headers['retry-after']).toBe('5')
    }
    expect(failures.length).toBeGreaterThan(0)
    expect(await rows()).toEqual([])
  })

  test('too many reports are under way, of one network or in all', () => {
    const full = { code: 'not_ready', retryAfterSeconds: 1 }
    const one = reportLimits(() => 0)
    const entered = Array.from({ length: maxOfOneNetwork }, () => one.enter('192.0.2.1'))
    expect(entered.every((report) => 'leave' in report)).toBe(true)
    expect(one.enter('192.0.2.1')).toMatchObject(full)
    const [first] = entered
    if (first !== undefined && 'leave' in first) first.leave()
    expect(one.enter('192.0.2.1')).toHaveProperty('leave')

    const all = reportLimits(() => 0)
    const whole = Array.from({ length: maxInAll }, (_, each) => enter(all, `198.51.100.${each}`))
    for (const report of whole) expect(report.bring(1)).toBeUndefined()
    const last = enter(all, '203.0.113.1')
    expect(last.bring(1)).toMatchObject(full)
    whole[0]?.leave()
    expect(last.bring(1)).toBeUndefined()
  })

  test('too many bytes of bodies are held; a small report is read all the same', () => {
    const limits = reportLimits(() => 0)
    const large = uncountedBytes + maxBytesInAll / 64
    const held = Array.from({ length: 64 }, (_, each) => enter(limits, `198.51.100.${each}`))
    for (const report of held) {
      expect(report.hold(large - 1)).toBeUndefined()
      expect(report.hold(1)).toBeUndefined()
    }
    const [last, small] = [enter(limits, '203.0.113.1'), enter(limits, '203.0.113.2')]
    expect(small.hold(uncountedBytes)).toBeUndefined()
    expect(last.hold(uncountedBytes + 1)).toMatchObject({ code: 'not_ready' })
    held[0]?.leave()
    expect(held[0]?.hold(1)).toMatchObject({ code: 'not_ready' })
    expect(last.hold(1)).toBeUndefined()
  })

  test('too many tokens wait, until the reports that brought them are answered', () => {
    const limits = reportLimits(() => 0)
    const first = enter(limits, '192.0.2.1')
    expect(first.bring(maxTokensInAll)).toBeUndefined()
    const second = enter(limits, '192.0.2.2')
    expect(second.bring(1)).toMatchObject({ code: 'not_ready' })
    first.leave()
    expect(second.bring(1)).toBeUndefined()
  })
})

function enter(limits: ReportLimits, address: string): ReportAdmission {
  const report = limits.enter(address)
  if (isRefusal(report)) throw new Error(report.detail)
  return report
}

test('429: too many tokens, of one network or in all', () => {
  const limits = reportLimits(() => 0)
  const bring = (address: string) => {
    const report = limits.enter(address)
    if (isRefusal(report)) return report
    const refusal = report.bring(1000)
    report.leave()
    return refusal
  }
  for (let each = 0; each < tokensPerMinute / 1000; each += 1) {
    expect(bring('192.0.2.1')).toBeUndefined()
  }
  expect(bring('192.0.2.1')).toMatchObject({ code: 'rate_limited' })
  for (let each = tokensPerMinute / 1000; each < tokensPerMinuteInAll / 1000; each += 1) {
    expect(bring(`198.51.100.${each}`)).toBeUndefined()
  }
  expect(bring('203.0.113.1')).toMatchObject({ code: 'rate_limited' })
})
