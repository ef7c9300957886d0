/** What one question for a chunk may cost, whatever the file is like that begins with it. */

import { unixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { expect, test } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { findChunk } from '../../src/xorbs/find-chunk.ts'
import { hash, xorb } from '../catalog/content.ts'

const refUid = 'ref'

/** Asks for the first chunk of a file that is made of these; gives what was looked for. */
async function lookedFor(words: readonly string[]) {
  const terms = Terms.of(
    words.map((word) => ({ xorb: hash(word), start: 0, end: 1, unpackedBytes: 1 })),
  )
  const looked: { rows: readonly Hash[]; objects: number } = { rows: [], objects: 0 }
  const catalog = {
    // Of another file: it comes before those of the one that is found.
    findChunk: async () => ({ ...xorb('elsewhere'), refUid }),
    findFileFrom: async () => ({ hash: hash('file'), bytes: 1, terms, refUid }),
    async xorbsOf(_: unknown, hashes: readonly Hash[]) {
      looked.rows = hashes
      return new Map(hashes.map((hash) => [hash, { ...xorb(hash), hash, refUid }]))
    },
  }
  const objects = {
    async sizeOf() {
      looked.objects += 1
      return undefined
    },
  }
  const handle = findChunk(catalog as unknown as Catalog, objects as unknown as ObjectStore, () =>
    unixSeconds(0),
  )
  await handle({} as StorageCall, hash('chunk'))
  return looked
}

const different = (count: number) => Array.from({ length: count }, (_, index) => `xorb ${index}`)

test('64 xorbs are looked up and 64 objects are looked for, of a file that has more', async () => {
  const { rows, objects } = await lookedFor(different(70))
  expect(rows).toEqual(different(64).map(hash))
  expect(objects).toBe(64)
})

test('4096 terms are read of a file that has more', async () => {
  const head = Array.from({ length: 4095 }, () => 'head')
  expect((await lookedFor([...head, 'last', 'behind'])).rows).toEqual(['head', 'last'].map(hash))
})
