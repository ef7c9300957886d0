/** Reads a storage's description of a file: its terms, and where their bytes are. */

import { chunkHeaderLength } from '../format/chunk-header.ts'
import { IntegrityError } from '../format/format-error.ts'
import { type Hash, parseHash, type Term } from '../format/hash.ts'
import { maxXorbBytes, maxXorbChunks } from '../format/limits.ts'
import type { ByteRange, ReconstructionAnswer } from './download-calls.ts'

/** Chunks `start` to before `end` of a xorb, and the URL that opens the bytes they are packed in. */
export interface Run {
  readonly start: number
  readonly end: number
  readonly url: string
  readonly bytes: ByteRange
}

export interface Reconstruction {
  readonly storageUrl: string
  /** How many bytes of the first term come before what was asked for. */
  readonly offsetIntoFirst: number
  readonly terms: readonly Term[]
  readonly runs: ReadonlyMap<Hash, readonly Run[]>
}

/** The first version's form. */
export function readReconstruction({ storageUrl, answer }: ReconstructionAnswer): Reconstruction {
  const { terms, fetch_info, offset_into_first_range: offset = 0 } = membersOf(answer)
  const runs = Object.entries(membersOf(fetch_info)).map(
    ([xorb, own]) => [hashOf(xorb), listOf(own).map(runOf)] as const,
  )
  return {
    storageUrl,
    offsetIntoFirst: countOf(offset),
    terms: listOf(terms).map(termOf),
    runs: new Map(runs),
  }
}

function termOf(value: unknown): Term {
  const { hash, range, unpacked_length } = membersOf(value)
  return { xorb: hashOf(hash), ...chunksOf(range), unpackedBytes: countOf(unpacked_length) }
}

function runOf(value: unknown): Run {
  const { range, url, url_range } = membersOf(value)
  const bytes = rangeOf(url_range)
  const length = bytes.end + 1 - bytes.start
  const chunks = chunksOf(range)
  // No run is longer than a xorb, and none is too short for the headers of its chunks.
  const least = (chunks.end - chunks.start) * (chunkHeaderLength + 1)
  if (typeof url !== 'string' || length < least || length > maxXorbBytes) throw unreadable()
  return { ...chunks, url, bytes }
}

/** At least one, and no more than a xorb has. */
function chunksOf(value: unknown): Pick<Term, 'start' | 'end'> {
  const chunks = rangeOf(value)
  const count = chunks.end - chunks.start
  if (count < 1 || count > maxXorbChunks) throw unreadable()
  return chunks
}

function rangeOf(value: unknown): ByteRange {
  const { start, end } = membersOf(value)
  return { start: countOf(start), end: countOf(end) }
}

function countOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw unreadable()
}

function hashOf(value: unknown): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : undefined
  if (hash === undefined) throw unreadable()
  return hash
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw unreadable()
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return { ...value }
  throw unreadable()
}

function unreadable(): IntegrityError {
  return new IntegrityError('the storage tells in no readable way what the file is made of')
}
