/** Takes a run apart as its bytes come: each chunk is unpacked, hashed and given the places in the file where it goes. */

import { withRoom } from '../format/bytes.ts'
import { type ChunkHeader, chunkHeaderLength, readChunkHeader } from '../format/chunk-header.ts'
import { IntegrityError, isFormatError } from '../format/format-error.ts'
import { hashLength } from '../format/hash.ts'
import { chunkHash } from '../format/hashing.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import { unpackChunk } from '../format/unpack-chunk.ts'
import type { PlannedRun } from './download-plan.ts'
import { headroom } from './fetch-ahead.ts'
import type { Run } from './read-reconstruction.ts'

export interface FoundChunk {
  /** Good until the batch that it is in has been put. */
  readonly bytes: Uint8Array
  readonly positions: readonly number[]
  readonly hash: Uint8Array
  /** The bytes that it takes in its range, with its header. */
  readonly packedLength: number
}

export interface RunWalk {
  readonly planned: PlannedRun
  readonly hashes: RunHashes
  readonly places: ChunkPlaces
  /** The beginning of a chunk that the next part ends. */
  carried: Uint8Array
}

export function walkOf(planned: PlannedRun): RunWalk {
  const { run } = planned
  const [hashes, places] = [runHashes(run), chunkPlaces(planned)]
  return { planned, hashes, places, carried: new Uint8Array(0) }
}

/** Unpacked chunks are put when they are so many bytes: packed ones can be very small. */
const batchBytes = 8 * 1024 * 1024

/** `length` bytes of the part stand behind the headroom of the slab. */
export function* takePart(
  walk: RunWalk,
  slab: Uint8Array,
  length: number,
): Generator<FoundChunk[]> {
  const { carried } = walk
  slab.set(carried, headroom - carried.length)
  let rest = slab.subarray(headroom - carried.length, headroom + length)
  let [batch, unpacked]: [FoundChunk[], number] = [[], 0]
  for (let header = headerOf(rest); header !== undefined; header = headerOf(rest)) {
    const packedLength = chunkHeaderLength + header.packedLength
    const found = foundChunk(walk, header, rest.subarray(0, packedLength))
    rest = rest.subarray(packedLength)
    batch.push(found)
    unpacked += found.bytes.length
    if (unpacked < batchBytes) continue
    yield batch
    batch = []
    unpacked = 0
  }
  walk.carried = new Uint8Array(rest)
  if (batch.length > 0) yield batch
}

/** After the last part. */
export function refuseIncomplete({ planned: { run }, hashes, carried }: RunWalk): void {
  if (hashes.count === run.end - run.start && carried.length === 0) return
  throw new IntegrityError('the storage sent other chunks than it announced')
}

function foundChunk(walk: RunWalk, header: ChunkHeader, packed: Uint8Array): FoundChunk {
  const { planned, hashes, places } = walk
  const { run } = planned
  if (hashes.count === run.end - run.start) {
    throw new IntegrityError('the storage sent other chunks than it announced')
  }
  const bytes = unpackChunk(header, packed.subarray(chunkHeaderLength))
  if (isFormatError(bytes)) throw unreadable(bytes.flaw)
  const hash = chunkHash(bytes)
  hashes.add(hash, bytes.length)
  return { bytes, hash, positions: places.next(bytes.length), packedLength: packed.length }
}

/** Undefined while the chunk is not whole. */
function headerOf(bytes: Uint8Array): ChunkHeader | undefined {
  if (bytes.length < chunkHeaderLength) return undefined
  const header = readChunkHeader(bytes)
  if (isFormatError(header)) throw unreadable(header.flaw)
  return bytes.length < chunkHeaderLength + header.packedLength ? undefined : header
}

function unreadable(reason: string): IntegrityError {
  return new IntegrityError(`the storage sent a chunk that cannot be read: ${reason}`)
}

/** The hashes and lengths of the chunks of a run, as they were found: what the hash of the file is made from. */
interface RunHashes {
  /** How many of its chunks are known. */
  readonly count: number
  add(hash: Uint8Array, length: number): void
  /** Adds chunks `start` to before `end` of the xorb to a tree. */
  addTo(tree: MerkleTree, start: number, end: number): void
}

const firstRoom = 64

export function runHashes(run: Pick<Run, 'start' | 'end'>): RunHashes {
  // They grow as chunks come: how many there will be is only announced.
  let hashes = new Uint8Array(0)
  const lengths: number[] = []
  return {
    get count() {
      return lengths.length
    },
    add(hash, length) {
      const begin = lengths.length * hashLength
      if (begin === hashes.length) {
        hashes = withRoom(hashes, Math.max(2 * hashes.length, firstRoom * hashLength))
      }
      hashes.set(hash, begin)
      lengths.push(length)
    },
    addTo(tree, start, end) {
      for (let index = start - run.start; index < end - run.start; index += 1) {
        const hash = hashes.subarray(index * hashLength, (index + 1) * hashLength)
        tree.add(hash, lengths[index] ?? 0)
      }
    },
  }
}

/** Where in a file the chunks of a run go, told one after the other: a chunk may go to several places. */
export interface ChunkPlaces {
  /** Places of the next chunk, which has this length. */
  next(length: number): readonly number[]
}

/** A term that the next chunk belongs to. */
interface Open {
  next: number
  readonly position: number
  readonly announced: number
  readonly end: number
}

export function chunkPlaces({ run, terms }: PlannedRun): ChunkPlaces {
  let index = run.start
  let begun = 0
  let open: Open[] = []
  const openTerms = () => {
    for (let term = terms[begun]; term?.start === index; term = terms[begun]) {
      const { position, unpackedBytes: announced, end } = term
      open.push({ next: position, position, announced, end })
      begun += 1
    }
  }
  return {
    next(length) {
      openTerms()
      index += 1
      const positions = open.map(({ next }) => next)
      for (const one of open) {
        one.next += length
        refuseOtherLength(one, one.end === index)
      }
      open = open.filter(({ end }) => end > index)
      return positions
    },
  }
}

/** Refuses to write beyond the term that a chunk belongs to. */
function refuseOtherLength({ next, position, announced }: Open, isOver: boolean): void {
  const bytes = next - position
  if (bytes < announced ? !isOver : bytes === announced) return
  throw new IntegrityError(`the storage sent ${bytes} bytes where it announced ${announced}`)
}
