/** The state of uploads in the catalogue: bounded for each account, and changed by one request at a time. */

import { hashAt } from '@latchkey/xet/format'
import { type PieceState, packPiece } from '@latchkey/xet/pieces'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { type FileUploads, fileUploads, uploadBounds } from '../../src/catalog/file-uploads.ts'
import { parseSha256 } from '../../src/catalog/sha256.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { bert, type CatalogWorld, openWorld } from './catalog-world.ts'

const bounds = { ...uploadBounds, bytes: 1000, finished: 3 }

let world: CatalogWorld
let place: WritablePlace
let uploads: FileUploads
beforeEach(async () => {
  world = await openWorld()
  place = await world.place(bert, 'main')
  uploads = fileUploads({ ...world.writing, bounds })
})

const nameOf = (name: string, account = 'one') => ({ account, name })
const begin = (name: string, more = 0) => uploads.begin(place, nameOf(name), more)
const bytesOf = async (name: string) => (await uploads.find(place, nameOf(name)))?.bytes

let state: Omit<PieceState, 'bytes'>
beforeAll(async () => {
  const packed = await packPiece(
    { read: () => 0, write() {}, findChunk: async () => undefined },
    { state: undefined, isLast: false },
  )
  state = { ...packed.state, rest: Uint8Array.of(3, 4, 5) }
})

function save(name: string, from: number, bytes: number, sha256 = state.sha256) {
  const terms = Terms.of([{ xorb: hashAt(new Uint8Array(32)), start: 0, end: 1, unpackedBytes: 9 }])
  return uploads.save(place, nameOf(name), { from, state: { ...state, sha256, bytes }, terms })
}

test('the state of an upload is found as it was saved', async () => {
  await begin('a')
  await save('a', 0, 7)
  // Requests for the state alone read nothing else.
  expect(await uploads.find(place, nameOf('a'))).toEqual({ bytes: 7, file: undefined })
  const found = await uploads.findProgress(place, nameOf('a'))
  expect(found?.terms.count).toBe(1)
  const { rest, sha256 } = found?.state ?? state
  expect([[...rest], [...sha256]]).toEqual([[3, 4, 5], [...state.sha256]])
  for (const find of [uploads.find, uploads.findProgress]) {
    expect(await find(place, nameOf('a', 'other'))).toBeUndefined()
  }
})

test('an upload whose hash another version has begun is deleted, so that it begins anew', async () => {
  await begin('a')
  await save(
    'a',
    0,
    7,
    state.sha256.map((byte) => 255 - byte),
  )
  expect(await bytesOf('a')).toBeUndefined()
  await begin('a')
  expect(await bytesOf('a')).toBe(0)
})

test('one account has a bounded number of bytes under way', async () => {
  expect(await begin('a', 1001)).toMatchObject({ code: 'quota_exceeded' })
  expect(await begin('a', 1000)).toBeUndefined()
  expect(await save('a', 0, 600)).toBeUndefined()
  expect(await begin('b', 401)).toMatchObject({ code: 'quota_exceeded' })
  expect(await begin('b', 400)).toBeUndefined()
  expect(await save('b', 0, 401)).toMatchObject({ code: 'quota_exceeded' })
  expect(await bytesOf('b')).toBe(0)
  world.passSeconds(24 * 3600)
  expect(await begin('c', 1000)).toBeUndefined()
  expect(await world.rows('SELECT name FROM file_uploads')).toEqual([{ name: 'c' }])
})

test('a part that another process has stored meanwhile is not overwritten', async () => {
  await begin('a')
  expect(await save('a', 0, 600)).toBeUndefined()
  expect(await save('a', 0, 100)).toMatchObject({ code: 'conflict' })
  expect(await save('gone', 0, 100)).toMatchObject({ code: 'conflict' })
  expect(await bytesOf('a')).toBe(600)
})

test('the responses of the newest uploads of an account are remembered', async () => {
  const sha256 = parseSha256('0'.repeat(64))
  if (sha256 === undefined) throw new Error('this is no SHA-256')
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    await begin(name)
    await uploads.finish(place, nameOf(name), { hash: hashAt(new Uint8Array(32)), sha256, size: 9 })
    world.passSeconds(1)
  }
  expect(await Promise.all(names.map(bytesOf))).toEqual([undefined, undefined, 9, 9, 9])
})
