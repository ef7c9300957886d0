/** The bytes of a file, for clients that do not put files together themselves. */

import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { makeFile, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { objectsIn } from '../../src/index.ts'
import type { Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

/** Many pieces of two xorbs, one of which comes twice. */
const parts = { p: randomChunks('p', 30, 50_000), q: randomChunks('q', 30, 50_000) }
const xorbs = { p: makeXorb(parts.p), q: makeXorb(parts.q) }
const file = makeFile([{ xorb: xorbs.p, start: 3 }, { xorb: xorbs.q }, { xorb: xorbs.p, end: 7 }])
const bytes = Buffer.concat([...parts.p.slice(3), ...parts.q, ...parts.p.slice(0, 7)])
const call = `GET /v1/files/${file.hash}`

let stage: Stage
let writer: Caller
let reader: Caller
beforeAll(async () => {
  stage = await openStage()
  const repository = await stage.newRepository()
  writer = await stage.caller(`write ${repository}@main`)
  for (const xorb of Object.values(xorbs)) await writer.upload(xorb)
  await writer.register([file])
  reader = await stage.caller(`read ${repository}@main`)
})
afterAll(() => stage.close())

test('a file comes whole', async () => {
  const told = await reader.ask(call)
  expect([told.status, told.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  expect(told.bytes.equals(bytes)).toBe(true)
  expect(told.headers.get('accept-ranges')).toBe('bytes')
  const head = await reader.ask(call.replace('GET', 'HEAD'))
  expect(head.headers.get('content-length')).toBe(String(bytes.length))
})

const end = bytes.length

test.each([
  ['bytes=0-0', 0, 1],
  ['bytes=49999-50000', 49_999, 50_001],
  // The place where one xorb ends and the other one begins.
  ['bytes=1349990-1350010', 1_349_990, 1_350_011],
  ['bytes=600001-2000000', 600_001, 2_000_001],
  [`bytes=${end - 3}-`, end - 3, end],
  ['bytes=7-18446744073709551615', 7, end],
])('with %s that part comes', async (range, start, beyond) => {
  const told = await reader.ask(call, { headers: { range } })
  expect(told.status).toBe(206)
  expect(told.headers.get('content-range')).toBe(`bytes ${start}-${beyond - 1}/${end}`)
  expect(told.bytes.equals(bytes.subarray(start, beyond))).toBe(true)
})

test('a range that cannot be read is a 400, and one beyond the end a 416', async () => {
  for (const range of ['bytes=9-1', 'bytes=-9', 'bytes=0-1,4-5', 'lines=0-1']) {
    expect((await reader.ask(call, { headers: { range } })).status).toBe(400)
  }
  const told = await reader.ask(call, { headers: { range: `bytes=${end}-` } })
  expect([told.status, told.headers.get('content-range')]).toEqual([416, `bytes */${end}`])
})

test('the file without bytes is there for everybody', async () => {
  for (const method of ['GET', 'HEAD']) {
    const told = await reader.ask(`${method} /v1/files/${'0'.repeat(64)}`)
    expect([told.status, told.bytes.length, told.headers.get('content-length')]).toEqual([
      200,
      0,
      '0',
    ])
  }
})

test('a download goes on only with the file that it began with', async () => {
  const told = await reader.ask(call)
  const etag = told.headers.get('etag') ?? ''
  expect(etag).toBe(`"${file.hash}"`)
  const from = (ifRange: string) =>
    reader.ask(call, { headers: { range: 'bytes=10-', 'if-range': ifRange } })
  const same = await from(etag)
  expect([same.status, same.headers.get('etag')]).toEqual([206, etag])
  expect(same.bytes.equals(bytes.subarray(10))).toBe(true)
  for (const other of [`"${'1'.repeat(64)}"`, `W/${etag}`, 'Wed, 01 Jan 2025 00:00:00 GMT']) {
    const whole = await from(other)
    expect([whole.status, whole.bytes.length]).toEqual([200, bytes.length])
  }
})

test('many at once come whole', async () => {
  const all = await Promise.all(Array.from({ length: rounds(4, 24) }, () => reader.ask(call)))
  expect(all.every((told) => told.bytes.equals(bytes))).toBe(true)
})

test.each([
  ['is an error where the first bytes are damaged', 3, 500],
  ['breaks off before damaged bytes', 2000, undefined],
])('an answer %s', async (_, chunks, status) => {
  const before = new Set(stage.objects())
  const content = contentOf('to be damaged', chunks)
  await put(writer, content)
  const [name = ''] = stage.objects().filter((object) => !before.has(object))
  const root = objectsIn(stage.world.settings.data).folder
  const handle = openSync(join(root, name.slice(0, 2), name), 'r+')
  writeSync(handle, Buffer.alloc(4, 1), 0, 4, content.xorb.table.packedStart(chunks - 1) + 100)
  closeSync(handle)
  const damaged = `GET /v1/files/${content.file.hash}`
  const broken = reader.ask(damaged).then((told) => told.status)
  if (status === undefined) await expect(broken).rejects.toThrow()
  else expect(await broken).toBe(status)
  const told = await reader.ask(damaged, { headers: { range: 'bytes=0-1999' } })
  expect(told.bytes.equals(content.bytes.subarray(0, 2000))).toBe(true)
})
