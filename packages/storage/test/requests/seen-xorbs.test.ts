/** What one shard may make the storage look at. */

import { asRepositoryUid, isRefusal } from '@latchkey/protocol'
import { ChunkTable, type Hash } from '@latchkey/xet/format'
import { expect, it } from 'vitest'
import type { Catalog, OwnedXorb } from '../../src/catalog/catalog.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { seenXorbs } from '../../src/shards/seen-xorbs.ts'

const caps = { files: 1, xorbs: 1, terms: 1, chunks: 100 }
const options = { catalog: {} as Catalog, objects: {} as ObjectStore, caps }
const view = { repositoryUid: asRepositoryUid('repository'), refs: undefined }

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
it('is refused beyond so many chunks, counted over all of its files', () => {
  const { spend } = seenXorbs(options, view, new AbortController().signal)
  expect(spend(99)).toBeUndefined()
  expect(spend(1)).toBeUndefined()
  expect(spend(1)?.code).toBe('content_invalid')
})

it('ends when its client has gone', () => {
  const gone = new AbortController()
  const { spend } = seenXorbs(options, view, gone.signal)
  gone.abort(new Error('gone'))
  expect(() => spend(1)).toThrow('gone')
})

/** A shard that goes round and round the largest xorbs; gives how many it asked for, and how many the storage read. */
async function goRound(xorbs: number, rounds: number) {
  const hashes = Array.from({ length: xorbs }, (_, index) => `${index}` as Hash)
  const largest = new ChunkTable(Buffer.alloc(8192 * 40))
  let read = 0
  const table = async () => {
    read += 1
    return largest
  }
  const found = new Map(hashes.map((hash) => [hash, { hash, key: `${hash}` } as never]))
  const findXorbs = async (): Promise<ReadonlyMap<Hash, OwnedXorb>> => found
  const given = {
    catalog: { findXorbs } as unknown as Catalog,
    objects: { sizeOf: async () => 1, table } as unknown as ObjectStore,
    caps: { ...caps, xorbs },
  }
  const seen = seenXorbs(given, view, new AbortController().signal)
  expect(await seen.look(hashes)).toBeUndefined()
  let asked = 0
  for (const hash of Array.from({ length: rounds }, () => hashes).flat()) {
    const table = await seen.table(hash)
    if (isRefusal(table)) return { asked, read, refused: table.code }
    asked += 1
  }
  return { asked, read, refused: undefined }
}

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
it('reads the table of a xorb once, however often its files come back to it', async () => {
  expect(await goRound(100, 20)).toEqual({ asked: 2000, read: 100, refused: undefined })
})

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
it('is refused when its tables do not fit into memory and are read again and again', async () => {
  expect(await goRound(110, 1)).toEqual({ asked: 110, read: 110, refused: undefined })
  expect(await goRound(110, 20)).toEqual({ asked: 110, read: 111, refused: 'content_invalid' })
})
