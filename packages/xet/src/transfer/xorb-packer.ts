/** Fills xorbs with new chunks; one that is full is on its way while the next is filled. */

import { chunkHeaderLength } from '../format/chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from '../format/chunk-table.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { mostXorbChunks } from '../format/limits.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { packChunk } from '../format/pack-chunk.ts'
import type { ChunkPlace, KnownXorb } from './known-chunks.ts'
import type { UploadCalls } from './upload-calls.ts'

/** Chunks that do not get smaller fit as well, with what stands before each. */
const mostBytes = 64 * 1024 * 1024

export interface SentXorb {
  readonly hash: Hash
  readonly table: ChunkTable
}

export interface XorbPacker {
  /** Waits while two xorbs are complete: more are never held. */
  add(chunk: Uint8Array, hash: Uint8Array): Promise<ChunkPlace & { readonly packedBytes: number }>
  /** All that were sent, once they have arrived. */
  finish(): Promise<readonly SentXorb[]>
}

export function xorbPacker(send: UploadCalls['sendXorb']): XorbPacker {
  const sent: SentXorb[] = []
  let open = openXorb()
  let onItsWay = Promise.resolve()
  const close = async () => {
    await onItsWay
    if (open.known.chunks.length === 0) return
    const { known, hash, table, parts } = open.seal()
    known.name = hash
    sent.push({ hash, table })
    onItsWay = send(hash, parts)
    // Whoever waits for it next is told.
    onItsWay.catch(() => {})
    open = openXorb()
  }
  return {
    async add(chunk, hash) {
      if (!open.hasRoomFor(chunk)) await close()
      return open.add(chunk, hash)
    },
    async finish() {
      await close()
      await onItsWay
      return sent
    },
  }
}

function openXorb() {
  const known: KnownXorb = { name: undefined, chunks: [] }
  const tree = merkleTree()
  const table = chunkTableBuilder()
  const parts: Buffer[] = []
  let [unpacked, packed] = [0, 0]
  return {
    known,
    hasRoomFor({ length }: Uint8Array): boolean {
      const count = known.chunks.length + 1
      return count <= mostXorbChunks && unpacked + length + count * chunkHeaderLength <= mostBytes
    },
    add(chunk: Uint8Array, hash: Uint8Array) {
      const part = packChunk(chunk)
      parts.push(part)
      unpacked += chunk.length
      packed += part.length
      tree.add(hash, chunk.length)
      table.add(hash, chunk.length, packed)
      const index = known.chunks.push(hashAt(hash)) - 1
      return { xorb: known, index, packedBytes: part.length }
    },
    seal: () => ({
      known,
      hash: hashAt(tree.root()),
      table: table.build(),
      parts,
    }),
  }
}
