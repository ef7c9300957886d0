/** Content that stands for some, by a short word: hashes and digests are made of it. */

import { createHash, randomBytes } from 'node:crypto'
import type { Hash } from '@latchkey/xet/format'
import type {
  Catalog,
  NewObject,
  OwnedXorb,
  Registration,
  WritablePlace,
  Xorb,
} from '../../src/catalog/catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import type { Digest, ObjectKey } from '../../src/objects/object-store.ts'

export function hash(word: string): Hash {
  return createHash('sha256').update(word).digest('hex') as Hash
}

export function digest(word: string): Digest {
  return hash(`digest of ${word}`) as string as Digest
}

export function xorb(word: string, more: Partial<Xorb> = {}): Xorb {
  return {
    hash: hash(word),
    digest: digest(word),
    packedBytes: 100,
    unpackedBytes: 150,
    chunks: 3,
    ...more,
  }
}

/** A file of one term, made of the xorb of the same word. */
export function registration(word: string, found: readonly OwnedXorb[]): Registration {
  const unpackedBytes = 150
  const terms = Terms.of(
    found.map((from) => ({ xorb: from.hash, start: 0, end: 3, unpackedBytes })),
  )
  const chunks = found.map((from) => ({ hash: hash(`chunk of ${word}`), xorb: from.hash }))
  const firstChunk = hash(`chunk of ${word}`)
  return { files: [{ hash: hash(word), bytes: 150, terms, firstChunk }], xorbs: found, chunks }
}

export const objectBytes = 130

export function newKey(): ObjectKey {
  return randomBytes(16).toString('hex') as ObjectKey
}

/** As if it had just been put. */
export async function newObject(catalog: Pick<Catalog, 'reserveObject'>): Promise<NewObject> {
  const key = newKey()
  await catalog.reserveObject({ key, bytes: objectBytes })
  return { key }
}

/** Gives a ref a xorb of this word. */
export async function addXorb(
  catalog: Catalog,
  place: WritablePlace,
  word: string,
  more: Partial<Xorb> = {},
) {
  return catalog.addXorb(
    place,
    xorb(word, more),
    [hash(`chunk of ${word}`)],
    await newObject(catalog),
  )
}

/** Gives a ref a xorb and a file that is made of it. */
export async function addFile(catalog: Catalog, place: WritablePlace, word: string) {
  await addXorb(catalog, place, word)
  return catalog.addFiles(place, registration(word, [{ ...xorb(word), refUid: place.refUid }]))
}
