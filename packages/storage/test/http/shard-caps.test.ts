/** One shard is one bounded transaction: a shard beyond a cap registers nothing, and is told which cap and what to do. */

import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { FileToRegister, WrittenXorb } from '@latchkey/xet/format'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'

const shardCaps = { files: 3, xorbs: 2, terms: 5, chunks: 12 }
const xorbs = [0, 1, 2].map((number) => makeXorb(randomChunks(`capped ${number}`, 4)))
const [xorb = missing(), second = missing(), third = missing()] = xorbs
function missing(): WrittenXorb {
  throw new Error('there are three xorbs')
}

let stage: Stage
let writer: Caller
beforeAll(async () => {
  stage = await openStage({ settings: { shardCaps } })
  writer = await stage.caller(`write ${await stage.newRepository()}@main`)
  for (const one of xorbs) expect((await writer.upload(one)).status).toBe(200)
})
afterAll(() => stage.close())

/** So many files of one chunk each, all different. */
const ofOneChunk = (count: number) =>
  [0, 1, 2, 3].slice(0, count).map((start) => makeFile([{ xorb, start, end: start + 1 }]))
const pieces = (count: number) =>
  makeFile([0, 1, 0, 1, 0, 1].slice(0, count).map((start) => ({ xorb, start, end: start + 1 })))
const whole = (count: number) => makeFile([xorb, xorb, second, xorb].slice(0, count).map(ofXorb))
const ofXorb = (one: WrittenXorb) => ({ xorb: one })

const beyond: readonly (readonly [string, readonly FileToRegister[], readonly WrittenXorb[]])[] = [
  ['3 files', ofOneChunk(4), []],
  ['3 files', Array.from({ length: 4 }, () => makeFile([])), []],
  ['2 xorbs', ofOneChunk(1), [xorb, second, third]],
  ['2 xorbs', [], [xorb, xorb, xorb]],
  ['2 xorbs', [makeFile([xorb, second, third].map(ofXorb))], []],
  ['5 runs of chunks', [pieces(3), pieces(4)], []],
  ['5', [pieces(6)], []],
  ['12 chunks in its files', [whole(4)], []],
]

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test.each(beyond)('more than %s are refused', async (cap, files, listed) => {
  const before = await stage.rows()
  const told = await writer.register(files, listed)
  expect([told.status, told.code]).toEqual([400, 'content_invalid'])
  const [, most, what] = /^(\d+) ?(.*)$/.exec(cap) ?? []
  expect(told.json['detail']).toMatch(new RegExp(`more ${what} ?than (?:the )?${most}\\b`))
  expect([await stage.rows(), stage.drafts()]).toEqual([before, []])
})

test.each([
  ['files', ofOneChunk(3), []],
  ['xorbs', ofOneChunk(1), [xorb, second]],
  ['runs of chunks', [pieces(5)], []],
  ['chunks', [whole(3)], []],
] as const)('as many %s as the cap says are registered', async (_, files, listed) => {
  expect((await writer.register(files, listed)).status).toBe(200)
})
