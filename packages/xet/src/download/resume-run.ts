/** Goes on with a run that an earlier download has begun: what is there counts as far as it has the hashes it had. */

import { sameBytes } from '../format/bytes.ts'
import { IntegrityError } from '../format/format-error.ts'
import { chunkHash } from '../format/hashing.ts'
import { maxChunkBytes } from '../format/limits.ts'
import type { PlannedRun } from './download-plan.ts'
import { type ChunkPlaces, chunkPlaces, type FoundChunk, type RunWalk, walkOf } from './walk-run.ts'

export interface ResumedRun {
  readonly walk: RunWalk
  /** Bytes of the run that need not be fetched. */
  readonly skipped: number
  /** Bytes of the file that are there. */
  readonly placed: number
}

export async function resumeRun(
  planned: PlannedRun,
  earlier: EarlierDownload | undefined,
): Promise<ResumedRun> {
  const fresh = { walk: walkOf(planned), skipped: 0, placed: 0 }
  if (earlier === undefined) return fresh
  const { run } = planned
  const [resumed, trial] = [{ ...fresh, walk: walkOf(planned) }, chunkPlaces(planned)]
  const { hashes, places } = resumed.walk
  for (const chunk of earlier.chunksOf(planned.name).slice(0, run.end - run.start)) {
    const positions = placesFor(chunk, trial)
    if (positions === undefined || !(await isThere(chunk, positions, earlier))) break
    places.next(chunk.length)
    hashes.add(chunk.hash, chunk.length)
    resumed.skipped += chunk.packedLength
    resumed.placed += chunk.length * positions.length
  }
  return fits(resumed, planned) ? resumed : fresh
}

/** The record of an earlier download may say anything. */
function placesFor({ length }: EarlierChunk, trial: ChunkPlaces): readonly number[] | undefined {
  try {
    return length > 0 && length <= maxChunkBytes ? trial.next(length) : undefined
  } catch (error) {
    if (error instanceof IntegrityError) return undefined
    throw error
  }
}

async function isThere(
  { hash, length }: EarlierChunk,
  positions: readonly number[],
  { read }: EarlierDownload,
): Promise<boolean> {
  for (const position of positions) {
    if (!sameBytes(chunkHash(await read(position, length)), hash)) return false
  }
  return true
}

/** All chunks take all bytes, and fewer take fewer. */
function fits({ walk, skipped }: ResumedRun, { run }: PlannedRun): boolean {
  const left = run.bytes.end + 1 - run.bytes.start - skipped
  return walk.hashes.count === run.end - run.start ? left === 0 : left > 0
}

export interface DownloadTarget {
  /** The memory of the chunks is good until it is done. */
  put(batch: FoundChunks): Promise<void>
  /** All parts are written. The next check finds out whether it is the requested file. */
  allPut?(): void
  /** The parts of an earlier download, if there was one. */
  readonly earlier?: EarlierDownload
}

/** Chunks that follow one another in a run. */
export interface FoundChunks {
  readonly runName: string
  /** Which chunk of the run is the first of them. */
  readonly first: number
  readonly chunks: readonly FoundChunk[]
}

export interface EarlierDownload {
  /** From the first chunk of the run on, without a gap. None of it is believed before it is hashed again. */
  chunksOf(runName: string): readonly EarlierChunk[]
  /** Fewer bytes where there are no more. */
  read(position: number, length: number): Promise<Uint8Array>
}

export interface EarlierChunk extends Pick<FoundChunk, 'hash' | 'packedLength'> {
  readonly length: number
}
