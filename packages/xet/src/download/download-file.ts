/** Downloads a file as a stream: piece by piece in memory, the next one fetched while one is read. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { allocate } from '#platform/bytes'
import { loadHashes } from '#platform/hashes'
import { HashMismatchError, IntegrityError } from '../format/format-error.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { fileHash } from '../format/hashing.ts'
import { maxChunkBytes } from '../format/limits.ts'
import { type MerkleTree, merkleTree } from '../format/merkle-tree.ts'
import type { ByteRange, DownloadCalls } from './download-calls.ts'
import { maxRunBytes, planDownload } from './download-plan.ts'
import { type Slabs, slabs } from './fetch-ahead.ts'
import { fetchPlan } from './fetch-plan.ts'
import { type Reconstruction, readReconstruction } from './read-reconstruction.ts'
import type { DownloadTarget } from './resume-run.ts'

export interface Download {
  readonly bytes: number
  /** Throws at its end if the bytes were not those of the file. */
  readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>
}

interface StreamOptions {
  /**
   * The first byte that is given. A download that begins later than byte 0 cannot be compared with
   * the hash of the file.
   *
   * @default 0
   */
  readonly from?: number
  /**
   * Bytes of a piece: two of them are in memory at the same time.
   *
   * @default 33554432
   */
  readonly pieceBytes?: number
  /** Called with the number of further bytes that have come, before they are given. */
  readonly onPlaced?: (bytes: number) => void
}

const types: OptionTypes<StreamOptions> = {
  from: 'number',
  pieceBytes: 'number',
  onPlaced: 'function',
}

const maxPieceBytes = 32 * 1024 * 1024
/** Bytes of each part that the reader gets. */
const handedBytes = 1024 * 1024

/**
 * @example
 * ```ts
 * const { bytes, chunks } = await downloadFile(calls, hash)
 * await pipeline(chunks, createWriteStream('copy.bin'))
 * ```
 */
export async function downloadFile(
  calls: DownloadCalls,
  file: Hash,
  options: StreamOptions = {},
): Promise<Download> {
  refuseOptions('downloadFile', options, types)
  const { from = 0, pieceBytes = maxPieceBytes, onPlaced = () => {} } = options
  await loadHashes()
  const reconstruction = readReconstruction(await calls.reconstruct(file))
  const plan = planDownload(reconstruction)
  const { bytes } = plan
  if (!Number.isSafeInteger(from) || from < 0 || from > bytes) {
    throw new RangeError(`a file of ${bytes} bytes has none at ${from}`)
  }
  const memory = slabs(maxRunBytes(plan))
  const source = { calls, file, memory, tree: merkleTree(), pieceBytes, onPlaced }
  return { bytes, chunks: readFile(source, reconstruction, { from, bytes }) }
}

interface Source {
  readonly calls: DownloadCalls
  readonly file: Hash
  readonly memory: Slabs
  /** Pieces are fetched one after the other, so their hashes come in order. */
  readonly tree: MerkleTree
  readonly pieceBytes: number
  readonly onPlaced: (bytes: number) => void
}

async function* readFile(
  source: Source,
  whole: Reconstruction,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const isShort = from === 0 && bytes <= source.pieceBytes
  const fetchFrom = (start: number) => {
    if (isShort) return fetchPiece(source, { reconstruction: whole, maxOffset: 0 })
    // Only the first piece may begin in the middle of a chunk, where that was asked for.
    return fetchRange(source, start, start === from && from > 0 ? maxChunkBytes - 1 : 0)
  }
  let position = from
  let next: Promise<Uint8Array<ArrayBuffer>> | undefined
  while (position < bytes) {
    const piece = await (next ?? fetchFrom(position))
    position += piece.length
    next = position < bytes ? fetchFrom(position) : undefined
    // A failure is thrown when this piece is awaited.
    next?.catch(() => {})
    for (let at = 0; at < piece.length; at += handedBytes) {
      yield piece.subarray(at, at + handedBytes)
    }
  }
  if (from === 0) refuseOtherFile(source.tree, source.file)
  else if (position > bytes) throw new IntegrityError('the storage sent more than the file has')
}

async function fetchRange({ calls, ...source }: Source, start: number, maxOffset: number) {
  const range = { start, end: start + source.pieceBytes - 1 }
  const reconstruction = readReconstruction(await calls.reconstruct(source.file, range))
  return fetchPiece({ calls, ...source }, { reconstruction, range, maxOffset })
}

interface Piece {
  readonly reconstruction: Reconstruction
  /** The requested range, if that is not the whole file. */
  readonly range?: ByteRange
  /** How far into its first chunk it may begin. */
  readonly maxOffset: number
}

async function fetchPiece(
  source: Source,
  { reconstruction, range, maxOffset }: Piece,
): Promise<Uint8Array<ArrayBuffer>> {
  const { offsetIntoFirst } = reconstruction
  const { bytes: length } = planDownload(reconstruction)
  const pieceLength = length - offsetIntoFirst
  // It ends with the chunk that holds its last byte.
  const isFit = pieceLength > 0 && pieceLength < source.pieceBytes + maxChunkBytes
  if (offsetIntoFirst > maxOffset || !isFit) {
    throw new IntegrityError('the storage tells of other bytes than it was asked for')
  }
  const bytes = allocate(length)
  await fetchPlan(
    { ...source, range, reconstruction },
    {
      async put({ chunks }) {
        for (const { positions, bytes: chunk } of chunks) {
          for (const position of positions) bytes.set(chunk, position)
        }
      },
    },
  )
  return bytes.subarray(offsetIntoFirst)
}

/** Downloads a file to where chunks can be put in any order; in the end they must be the file that was asked for. */
export interface PreparedDownload {
  readonly bytes: number
  /** Every run is fetched once, however often the file has its chunks. */
  into(target: DownloadTarget, onProgress?: (bytes: number) => void): Promise<void>
}

/**
 * @example
 * ```ts
 * const prepared = await prepareDownload(calls, hash)
 * await prepared.into(target, (bytes) => console.log(`${bytes} of ${prepared.bytes}`))
 * ```
 */
export async function prepareDownload(calls: DownloadCalls, file: Hash): Promise<PreparedDownload> {
  await loadHashes()
  const reconstruction = readReconstruction(await calls.reconstruct(file))
  const plan = planDownload(reconstruction)
  return {
    bytes: plan.bytes,
    async into(target, onProgress = () => {}) {
      let placed = 0
      const onPlaced = (more: number) => {
        placed += more
        onProgress(placed)
      }
      const memory = slabs(maxRunBytes(plan))
      const tree = merkleTree()
      const job = { calls, file, range: undefined, reconstruction, memory, tree, onPlaced }
      await fetchPlan(job, target)
      target.allPut?.()
      refuseOtherFile(tree, file)
    },
  }
}

function refuseOtherFile(tree: MerkleTree, file: Hash): void {
  const came = hashAt(fileHash(tree.root()))
  if (came === file) return
  throw new HashMismatchError(`the storage sent another file, ${came}, instead of ${file}`)
}
