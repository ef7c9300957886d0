/**
 * Carries the registration of a checked shard from the thread that checked it: all terms in one
 * buffer.
 */

import type { Hash } from '@latchkey/xet/format'
import type { IndexedChunk, OwnedXorb } from '../catalog/catalog.ts'
import { Terms } from '../catalog/terms.ts'
import type { CheckedShard } from './check-shard.ts'

export interface CarriedRegistration {
  readonly files: readonly CarriedFile[]
  readonly xorbs: readonly OwnedXorb[]
  readonly chunks: readonly IndexedChunk[]
  readonly claimed: readonly Hash[]
  /** Terms of the first file, then those of the next. */
  readonly terms: Uint8Array<ArrayBuffer>
}

interface CarriedFile {
  readonly hash: Hash
  readonly bytes: number
  readonly firstChunk: Hash | undefined
  /** How long its terms are. */
  readonly termBytes: number
}

export function carry({ files, xorbs, chunks, claimed }: CheckedShard): CarriedRegistration {
  const length = files.reduce((sum, { terms }) => sum + terms.packed.length, 0)
  const all = new Uint8Array(length)
  let at = 0
  const carried = files.map(({ hash, bytes, firstChunk, terms: { packed } }) => {
    all.set(packed, at)
    at += packed.length
    return { hash, bytes, firstChunk, termBytes: packed.length }
  })
  return { files: carried, xorbs, chunks, claimed, terms: all }
}

export function unpack({ files, terms, ...rest }: CarriedRegistration): CheckedShard {
  let at = 0
  const unpacked = files.map(({ termBytes, ...file }) => {
    const own = terms.subarray(at, at + termBytes)
    at += termBytes
    return { ...file, terms: new Terms(own) }
  })
  return { ...rest, files: unpacked }
}
