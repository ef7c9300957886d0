/** Computes the SHA-256 of a stored file; the bytes are believed only where the file's own hash follows from them. */

import { createHash } from 'node:crypto'
import {
  type ChunkTable,
  chunkHash,
  fileHash,
  type Hash,
  hashAt,
  isFlaw,
  type MerkleTree,
  merkleTree,
  mostChunkBytes,
  sameBytes,
  type Term,
  unpackWhole,
} from '@latchkey/xet/format'
import type { CatalogReader, OwnedFile, OwnedXorb } from '../catalog/catalog.ts'
import { parseSha256, type Sha256 } from '../catalog/sha256.ts'
import { DamagedObject, type ObjectStore } from '../objects/object-store.ts'

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
  const buffer = Buffer.allocUnsafeSlow(pieceBytes + 2 * mostChunkBytes)
  for (const term of file.terms) {
    const { digest } = xorbs.get(term.xorb) ?? lost(term.xorb)
    const table = await tableOf(digest)
    for (const piece of piecesOf(term, table)) {
      signal.throwIfAborted()
      const start = table.packedStart(piece.start)
      const parts = read(digest, start, table.packedEnd(piece.end - 1) - 1)
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

type Piece = Pick<Term, 'start' | 'end'>

function* piecesOf({ start, end }: Piece, table: ChunkTable): Generator<Piece> {
  for (let first = start; first < end; ) {
    const most = table.packedStart(first) + pieceBytes
    let next = first + 1
    while (next < end && table.packedEnd(next) <= most) next += 1
    yield { start: first, end: next }
    first = next
  }
}

/** A part is good until the next is asked for. */
async function gather(parts: AsyncIterable<Uint8Array>, into: Buffer): Promise<Buffer> {
  let length = 0
  for await (const part of parts) {
    into.set(part, length)
    length += part.length
  }
  return into.subarray(0, length)
}

interface ReadPiece {
  readonly packed: Buffer
  readonly table: ChunkTable
  readonly piece: Piece
}

function add({ sha256, tree }: Sums, { packed, table, piece: { start, end } }: ReadPiece): void {
  const first = table.packedStart(start)
  for (let index = start; index < end; index += 1) {
    const [from, to] = [table.packedStart(index) - first, table.packedEnd(index) - first]
    const chunk = unpackWhole(packed.subarray(from, to))
    if (isFlaw(chunk)) throw damaged(chunk.flaw)
    const hash = chunkHash(chunk)
    if (!sameBytes(hash, table.hashBytes(index))) throw damaged(`the chunk ${table.hash(index)}`)
    sha256.update(chunk)
    tree.add(hash, chunk.length)
  }
}

/** Files and their xorbs come and go in one transaction: the file is about to go as well. */
function lost(xorb: Hash): OwnedXorb {
  throw damaged(`the xorb ${xorb} is gone`)
}

function damaged(what: string): DamagedObject {
  return new DamagedObject(`stored content is damaged: ${what}`)
}
