/** Adds one file to an upload: chunk by chunk, it is found or sent. */

import type { TurnRunner } from '@latchkey/protocol'
import type { CutBatch, FileCutter, HashedChunk } from '../cutting/file-cutter.ts'
import { hashAt } from '../format/hash.ts'
import { fileHash, isEligible } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { deferred } from '../waiting/deferred.ts'
import { type FileRecipe, fileRecipe } from './file-recipe.ts'
import type { ChunkFinder, ChunkPlace } from './known-chunks.ts'
import type { MadeFile } from './shard-of.ts'
import { fileSegments, type Segment, type SegmentSize, type XorbPacker } from './xorb-packer.ts'

interface Uploading {
  readonly finder: ChunkFinder
  readonly packer: XorbPacker
  readonly cutter: FileCutter
  /** Chunks of one file at a time are cut on the thread and packed. */
  readonly inTurn: TurnRunner
  readonly segmentSizes: readonly SegmentSize[] | undefined
  /** Told of each chunk that need not be sent. */
  readonly onFound: (bytes: number) => void
}

interface AddedFile {
  readonly made: MadeFile
  readonly counted: {
    readonly bytes: number
    readonly uploadedBytes: number
    readonly deduplicatedBytes: number
  }
}

/** A chunk that has been cut, and where it stands in its file. */
interface CutChunk extends HashedChunk {
  readonly segment: Segment
}

/**
 * The shared chunks of several files follow from their order alone, so that an upload finds them
 * again after an interruption.
 */
export async function addFile(
  uploading: Uploading,
  data: AsyncIterable<Uint8Array>,
): Promise<AddedFile> {
  const [turn, over] = [deferred(), deferred()]
  // Requested now, in the order of the calls; what fails before its turn gives it up when it comes.
  void uploading.inTurn(() => {
    turn.resolve()
    return over.promise
  })
  try {
    return await takeChunks(uploading, uploading.cutter.cut(data, turn.promise), turn.promise)
  } finally {
    over.resolve()
  }
}

async function takeChunks(
  uploading: Uploading,
  cut: AsyncIterable<CutBatch>,
  turn: Promise<void>,
): Promise<AddedFile> {
  const [recipe, tree] = [fileRecipe(), merkleTree()]
  let sha256: Uint8Array = new Uint8Array(0)
  const counted = { bytes: 0, uploadedBytes: 0, deduplicatedBytes: 0 }
  const ahead = lookAhead(uploading)
  for await (const batch of cut) {
    sha256 = batch.sha256 ?? sha256
    for (const chunk of batch.chunks.map(ahead)) {
      if (recipe.isEmpty()) await turn
      const { hash, bytes } = chunk
      const found = await find(uploading, chunk, recipe)
      if (found !== undefined) await uploading.packer.pass(chunk.segment)
      const place: ChunkPlace & { packedBytes?: number } = found ?? (await send(uploading, chunk))
      recipe.add(place, hash, bytes.length)
      tree.add(hash, bytes.length)
      counted.bytes += bytes.length
      if (found === undefined) counted.uploadedBytes += place.packedBytes ?? 0
      else {
        counted.deduplicatedBytes += bytes.length
        uploading.onFound(bytes.length)
      }
    }
  }
  await turn
  const hash = hashAt(fileHash(tree.root()))
  const isNew = counted.uploadedBytes > 0
  return { made: { hash, terms: recipe.finish(), sha256, isNew }, counted }
}

/** The storage is asked for chunks that it may know before they are needed. */
function lookAhead({ finder, segmentSizes }: Uploading): (chunk: HashedChunk) => CutChunk {
  const segmentAt = fileSegments(segmentSizes)
  let start = 0
  let last: Segment | undefined
  return ({ bytes, hash }) => {
    const segment = segmentAt(start)
    // A failure is met where the answer is needed.
    if (segment !== last || isEligible(hash)) finder.ask(hashAt(hash)).catch(() => {})
    start += bytes.length
    last = segment
    return { bytes, hash, segment }
  }
}

/** Undefined for a chunk that has to be sent. */
async function find(
  { finder, packer }: Uploading,
  { bytes, hash, segment }: CutChunk,
  recipe: FileRecipe,
): Promise<ChunkPlace | undefined> {
  const name = hashAt(hash)
  const next = recipe.continuation(name)
  if (next !== undefined) return next
  if (recipe.isScattered()) return undefined
  // A question costs a round trip: the storage answers for these, and the answer leads to other chunks.
  const isAsked =
    recipe.isEmpty() ||
    recipe.endsXorb() ||
    isEligible(hash) ||
    packer.wouldBegin(bytes.length, segment)
  return isAsked ? finder.ask(name) : finder.placeOf(name)
}

async function send({ finder, packer }: Uploading, { bytes, hash, segment }: CutChunk) {
  const place = await packer.add(bytes, hash, segment)
  finder.learn(place)
  return place
}
