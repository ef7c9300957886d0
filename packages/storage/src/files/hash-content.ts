/** Computes the SHA-256 of a stored file; the bytes are believed only where the file's own hash follows from them. */

import { createHash } from 'node:crypto'
import {
  type ChunkTable,
  fileHash,
  type Hash,
  hashAt,
  type MerkleTree,
  maxChunkBytes,
  merkleTree,
} from '@latchkey/xet/format'
import type { CatalogReader, OwnedFile } from '../catalog/catalog.ts'
import { parseSha256, type Sha256 } from '../catalog/sha256.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import {
  damaged,
  gather,
  type Piece,
  type ReadPiece,
  verifiedChunks,
} from '../xorbs/verified-chunks.ts'

export interface HashingContent extends Pick<ObjectStore, 'table' | 'read'> {
  readonly catalog: Pick<CatalogReader, 'xorbsOf'>
}

/** Read at once: between two reads the thread yields to other files, and hears of an abort. */
const pieceBytes = 1024 * 1024

/** Throws `DamagedObject` when the bytes are not those that were stored. */
export async function hashContent(
  { catalog, table: tableOf, read }: HashingContent,
  file: OwnedFile,
  signal: AbortSignal,
): Promise<Sha256> {
  const xorbs = await catalog.xorbsOf(file, file.terms.xorbs())
  const sums: Sums = { sha256: createHash('sha256'), tree: merkleTree() }
  const buffer = Buffer.allocUnsafeSlow(pieceBytes + 2 * maxChunkBytes)
  for (const term of file.terms) {
    const { key } = xorbs.get(term.xorb) ?? lost(term.xorb)
    const table = await tableOf(key)
    for (const piece of piecesOf(term, table)) {
      signal.throwIfAborted()
      const start = table.packedStart(piece.start)
      const parts = read(key, start, table.packedEnd(piece.end - 1) - 1)
      add(sums, { packed: await gather(parts, buffer), table, piece })
    }
  }
  const sha256 = parseSha256(sums.sha256.digest('hex'))
  const isWhole = hashAt(fileHash(sums.tree.root())) === file.hash
  if (!isWhole || sha256 === undefined) throw damaged(`the chunks of the file ${file.hash}`)
  return sha256
}

interface Sums {
  readonly sha256: ReturnType<typeof createHash>
  readonly tree: MerkleTree
}

function* piecesOf({ start, end }: Piece, table: ChunkTable): Generator<Piece> {
  for (let first = start; first < end; ) {
    const most = table.packedStart(first) + pieceBytes
    let next = first + 1
    while (next < end && table.packedEnd(next) <= most) next += 1
    yield { start: first, end: next }
    first = next
  }
}

function add({ sha256, tree }: Sums, read: ReadPiece): void {
  for (const { chunk, hash } of verifiedChunks(read)) {
    sha256.update(chunk)
    tree.add(hash, chunk.length)
  }
}

/** Files and their xorbs come and go in one transaction: the file is about to go as well. */
function lost(xorb: Hash): never {
  throw damaged(`the xorb ${xorb} is gone`)
}
