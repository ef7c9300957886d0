/** Large bodies of the admin API and of the link share the turns of the event loop. */

import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { placesQuestion } from '@latchkey/admin-api'
import { watchTurns } from '@latchkey/testing/stalls/watch-turns'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readBody } from '../../src/link/link-routes.ts'
import { openAdmin } from '../admin/open-admin.ts'

/** Every value is parsed by itself, so a turn is as long as the texts that it parses. */
function watchParsed() {
  const turns = watchTurns()
  const { parse } = JSON
  vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
    turns.add(text.length)
    return parse(text)
  })
  // Each look at the clock ends a slice.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 5
    return now
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return turns
}

const long = 'x'.repeat(500)
const twelve = Array.from({ length: 12 })

/** A slice is 8 KiB and what it has begun. */
const twoSlices = 2 * 8 * 1024

test('one slice of all bodies of the admin API runs in each turn of the event loop', async () => {
  const { call } = await openAdmin()
  const body = { accounts: Array(80).fill(long) }
  const parsed = watchParsed()
  const responses = await Promise.all(twelve.map(() => call('POST', '/apply', { body })))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(400))
  expect(parsed.most()).toBeLessThan(twoSlices)
})

test('one slice of all bodies of the link runs in each turn of the event loop', async () => {
  const body = Buffer.from(JSON.stringify({ uids: Array(80).fill(long) }))
  const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` }
  const ask = () => Object.assign(Readable.from([body]), { method: 'POST', headers })
  const parsed = watchParsed()
  const take = async () => undefined
  const read = twelve.map(() => readBody(ask() as unknown as IncomingMessage, placesQuestion, take))
  expect(await Promise.all(read)).toEqual(
    Array(12).fill(expect.objectContaining({ code: 'bad_request' })),
  )
  expect(parsed.most()).toBeLessThan(twoSlices)
})

test('the hub reads eight long bodies of one administrator at once, and short ones beside them', async () => {
  const { call } = await openAdmin()
  const text = JSON.stringify({ name: long.repeat(10) })
  const headers = {
    authorization: 'Bearer all',
    'content-type': 'application/json',
    'content-length': `${text.length}`,
  }
  const bodies = Array.from({ length: 8 }, () => new PassThrough())
  const held = bodies.map((payload) => call('POST', '/accounts', { headers, payload }))
  for (const body of bodies) body.write(text.slice(0, 1))
  await call('GET', '/accounts')
  let isAnswered = false
  const ninth = call('POST', '/accounts', { body: text, headers }).finally(() => {
    isAnswered = true
  })
  expect((await call('POST', '/accounts', { body: { name: 'ada' } })).statusCode).toBe(201)
  // Many more turns than the ninth would take.
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  expect(isAnswered).toBe(false)
  bodies[0]?.end(text.slice(1))
  expect((await ninth).statusCode).toBe(400)
  for (const body of bodies.slice(1)) body.end(text.slice(1))
  expect((await Promise.all(held)).map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(400))
})
