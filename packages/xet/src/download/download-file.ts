/** Downloads a file as a stream: piece by piece in memory, the next one fetched while one is read. */

import { allocate } from '#platform/bytes'
import { loadHashes } from '#platform/hashes'
import type { Hash } from '../format/hash.ts'
import { mostChunkBytes } from '../format/limits.ts'
import { type MerkleTree, merkleTree } from '../format/merkle-tree.ts'
import { Misdelivered } from '../format/misdelivered.ts'
import type { ByteRange, DownloadCalls } from './download-calls.ts'
import { longestRunOf, planDownload } from './download-plan.ts'
import { type Slabs, slabs } from './fetch-ahead.ts'
import { fetchPlan } from './fetch-plan.ts'
import { type Reconstruction, readReconstruction } from './read-reconstruction.ts'
import { refuseOtherFile } from './refuse-other-file.ts'

export interface Download {
  readonly bytes: number
  /** Fails in its end if it was not the file. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Two of them are in memory at once. */
const pieceBytes = 32 * 1024 * 1024
/** What is handed on at once. */
const handedBytes = 1024 * 1024

export async function downloadFile(calls: DownloadCalls, file: Hash): Promise<Download> {
  await loadHashes()
  const reconstruction = readReconstruction(await calls.reconstruct(file))
  const plan = planDownload(reconstruction)
  const source = { calls, file, memory: slabs(longestRunOf(plan)), tree: merkleTree() }
  return { bytes: plan.bytes, chunks: readFile(source, reconstruction, plan.bytes) }
}

interface Source {
  readonly calls: DownloadCalls
  readonly file: Hash
  readonly memory: Slabs
  /** Pieces are fetched one after the other, so their hashes come in order. */
  readonly tree: MerkleTree
}

async function* readFile(
  source: Source,
  whole: Reconstruction,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const fetchFrom = (start: number) =>
    bytes <= pieceBytes ? fetchPiece(source, whole) : fetchRange(source, start)
  let position = 0
  let next: Promise<Uint8Array<ArrayBuffer>> | undefined
  while (position < bytes) {
    const piece = await (next ?? fetchFrom(position))
    position += piece.length
    next = position < bytes ? fetchFrom(position) : undefined
    // Told when it is this piece's turn.
    next?.catch(() => {})
    for (let at = 0; at < piece.length; at += handedBytes) {
      yield piece.subarray(at, at + handedBytes)
    }
  }
  refuseOtherFile(source.tree, source.file)
}

async function fetchRange(
  { calls, ...source }: Source,
  start: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const range = { start, end: start + pieceBytes - 1 }
  const reconstruction = readReconstruction(await calls.reconstruct(source.file, range))
  return fetchPiece({ calls, ...source }, reconstruction, range)
}

async function fetchPiece(
  source: Source,
  reconstruction: Reconstruction,
  range?: ByteRange,
): Promise<Uint8Array<ArrayBuffer>> {
  const plan = planDownload(reconstruction)
  // Pieces begin where a chunk does, and end with the chunk that holds their last byte.
  const isFit = plan.bytes > 0 && plan.bytes < pieceBytes + mostChunkBytes
  if (reconstruction.offsetIntoFirst !== 0 || !isFit) {
    throw new Misdelivered('the storage tells of other bytes than it was asked for')
  }
  const bytes = allocate(plan.bytes)
  const job = { ...source, range, reconstruction, onPlaced() {} }
  await fetchPlan(job, {
    async put({ chunks }) {
      for (const { positions, bytes: chunk } of chunks) {
        for (const position of positions) bytes.set(chunk, position)
      }
    },
  })
  return bytes
}
