/** Uploads files: each is cut into chunks, what the storage lacks is sent, and one shard registers them all. */

import { createHash } from 'node:crypto'
import { isEligible } from '../format/eligible.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { chunkHash, fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { cutChunks } from './cut-chunks.ts'
import { type FileRecipe, fileRecipe } from './file-recipe.ts'
import { type ChunkPlace, knownChunks } from './known-chunks.ts'
import { learnShard } from './learn-shard.ts'
import { type MadeFile, shardOf } from './shard-of.ts'
import type { UploadCalls } from './upload-calls.ts'
import { xorbPacker } from './xorb-packer.ts'

export interface UploadedFile {
  readonly hash: Hash
  readonly bytes: number
  /** What was sent of it, packed. */
  readonly uploadedBytes: number
  /** What was there already, unpacked. */
  readonly deduplicatedBytes: number
}

export interface Upload {
  /** A file counts only once `finish` is done. */
  add(data: AsyncIterable<Uint8Array>): Promise<UploadedFile>
  finish(): Promise<void>
}

/** About 16 GiB that the next chunk may be a repetition of. */
const rememberedXorbs = 256

export function startUpload(calls: UploadCalls): Upload {
  const known = knownChunks(rememberedXorbs)
  const packer = xorbPacker(calls.sendXorb)
  const files: MadeFile[] = []

  /** Undefined for a chunk that has to be sent. */
  const find = async (chunk: Hash, hash: Uint8Array, recipe: FileRecipe) => {
    const next = recipe.continuation(chunk)
    if (next !== undefined) return next
    if (recipe.isScattered()) return undefined
    const place = known.find(chunk)
    if (place !== undefined || !(recipe.isEmpty() || isEligible(hash))) return place
    const shard = await calls.findChunk(chunk)
    if (shard !== undefined) await learnShard(shard, known)
    return known.find(chunk)
  }
  const send = async (chunk: Uint8Array, hash: Uint8Array) => {
    const place = await packer.add(chunk, hash)
    known.learn(place)
    return place
  }

  return {
    async add(data) {
      const [recipe, tree, sha256] = [fileRecipe(), merkleTree(), createHash('sha256')]
      const counted = { bytes: 0, uploadedBytes: 0, deduplicatedBytes: 0 }
      for await (const chunk of cutChunks(data)) {
        const hash = chunkHash(chunk)
        const found = await find(hashAt(hash), hash, recipe)
        const place: ChunkPlace & { packedBytes?: number } = found ?? (await send(chunk, hash))
        recipe.add(place, hash, chunk.length)
        tree.add(hash, chunk.length)
        sha256.update(chunk)
        counted.bytes += chunk.length
        counted.uploadedBytes += place.packedBytes ?? 0
        if (found !== undefined) counted.deduplicatedBytes += chunk.length
      }
      const hash = hashAt(fileHash(tree.root()))
      files.push({ hash, terms: recipe.finish(), sha256: sha256.digest() })
      return { hash, ...counted }
    },
    async finish() {
      const xorbs = await packer.finish()
      await calls.sendShard(shardOf(files, xorbs))
    },
  }
}
