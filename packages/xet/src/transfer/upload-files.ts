/** Uploads files: each is cut into chunks, what the storage lacks is sent, and shards register them in the end. */

import { createHash } from 'node:crypto'
import { isEligible } from '../format/eligible.ts'
import { type Hash, hashAt } from '../format/hash.ts'
import { chunkHash, fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { cutChunks } from './cut-chunks.ts'
import { type FileRecipe, fileRecipe } from './file-recipe.ts'
import { type ChunkPlace, knownChunks } from './known-chunks.ts'
import { learnShard } from './learn-shard.ts'
import { registerFiles } from './register-files.ts'
import { fileSegments, type Segment } from './segments.ts'
import type { MadeFile } from './shard-of.ts'
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

export interface UploadOptions {
  /** Called after each xorb that the storage has acknowledged, with the packed bytes of all of them so far. */
  readonly onKept?: (bytes: number) => void
}

/** About 16 GiB that the next chunk may be a repetition of: some 50 MB in memory. */
const rememberedChunks = 262_144

/** A chunk that has been cut, and where it stands in its file. */
interface CutChunk {
  readonly bytes: Uint8Array
  readonly hash: Uint8Array
  readonly segment: Segment
}

export function startUpload(calls: UploadCalls, { onKept }: UploadOptions = {}): Upload {
  const known = knownChunks(rememberedChunks)
  const packer = xorbPacker(calls.sendXorb, onKept)
  const files: MadeFile[] = []

  /** An answer costs a round trip, so only chunks are asked for that the storage may know, and that lead to others. */
  const isAsked = ({ bytes, hash, segment }: CutChunk, recipe: FileRecipe) =>
    recipe.isEmpty() ||
    recipe.endsXorb() ||
    isEligible(hash) ||
    packer.wouldBegin(bytes.length, segment)
  /** Undefined for a chunk that has to be sent. */
  const find = async (chunk: CutChunk, recipe: FileRecipe) => {
    const hash = hashAt(chunk.hash)
    const next = recipe.continuation(hash)
    if (next !== undefined) return next
    if (recipe.isScattered()) return undefined
    const place = known.find(hash)
    if (place !== undefined || !isAsked(chunk, recipe)) return place
    const shard = await calls.findChunk(hash)
    if (shard !== undefined) await learnShard(shard, known)
    return known.find(hash)
  }
  const send = async ({ bytes, hash, segment }: CutChunk) => {
    const place = await packer.add(bytes, hash, segment)
    known.learn(place)
    return place
  }

  return {
    async add(data) {
      const [recipe, tree, sha256] = [fileRecipe(), merkleTree(), createHash('sha256')]
      const counted = { bytes: 0, uploadedBytes: 0, deduplicatedBytes: 0 }
      const segmentAt = fileSegments()
      for await (const bytes of cutChunks(data)) {
        const chunk = { bytes, hash: chunkHash(bytes), segment: segmentAt(counted.bytes) }
        const found = await find(chunk, recipe)
        const place: ChunkPlace & { packedBytes?: number } = found ?? (await send(chunk))
        recipe.add(place, chunk.hash, bytes.length)
        tree.add(chunk.hash, bytes.length)
        sha256.update(bytes)
        counted.bytes += bytes.length
        counted.uploadedBytes += place.packedBytes ?? 0
        if (found !== undefined) counted.deduplicatedBytes += bytes.length
      }
      const hash = hashAt(fileHash(tree.root()))
      const isNew = counted.uploadedBytes > 0
      files.push({ hash, terms: recipe.finish(), sha256: sha256.digest(), isNew })
      return { hash, ...counted }
    },
    async finish() {
      await registerFiles(calls, files, await packer.finish())
    },
  }
}
