/** Takes a run apart as its bytes come: each chunk is unpacked, hashed and given the places in the file where it goes. */

import { type ChunkHeader, chunkHeaderLength, readChunkHeader } from '../format/chunk-header.ts'
import { isFlaw } from '../format/flaw.ts'
import { chunkHash } from '../format/hashing.ts'
import { Misdelivered } from '../format/misdelivered.ts'
import { unpackChunk } from '../format/unpack-chunk.ts'
import { type ChunkPlaces, chunkPlaces } from './chunk-places.ts'
import type { PlannedRun } from './download-plan.ts'
import { headroom } from './fetch-ahead.ts'
import { type RunHashes, runHashes } from './run-hashes.ts'

export interface FoundChunk {
  /** Good until the batch that it is in has been put. */
  readonly bytes: Uint8Array
  readonly positions: readonly number[]
  readonly hash: Uint8Array
  /** What it takes in its run, with its header. */
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
  throw new Misdelivered('the storage sent other chunks than it announced')
}

function foundChunk(walk: RunWalk, header: ChunkHeader, packed: Uint8Array): FoundChunk {
  const { planned, hashes, places } = walk
  const { run } = planned
  if (hashes.count === run.end - run.start) {
    throw new Misdelivered('the storage sent other chunks than it announced')
  }
  const bytes = unpackChunk(header, packed.subarray(chunkHeaderLength))
  if (isFlaw(bytes)) throw unreadable(bytes.flaw)
  const hash = chunkHash(bytes)
  hashes.add(hash, bytes.length)
  return { bytes, hash, positions: places.next(bytes.length), packedLength: packed.length }
}

/** Undefined while the chunk is not whole. */
function headerOf(bytes: Uint8Array): ChunkHeader | undefined {
  if (bytes.length < chunkHeaderLength) return undefined
  const header = readChunkHeader(bytes)
  if (isFlaw(header)) throw unreadable(header.flaw)
  return bytes.length < chunkHeaderLength + header.packedLength ? undefined : header
}

function unreadable(reason: string): Misdelivered {
  return new Misdelivered(`the storage sent a chunk that cannot be read: ${reason}`)
}
