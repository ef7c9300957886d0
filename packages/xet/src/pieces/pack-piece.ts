/** Cuts and packs one piece of a file. Its state can be saved, so that the next piece may come after a restart. */

import { createSHA256, type IHasher } from 'hash-wasm'
import { slotBytes, slotCutter, slotMargin, slotMemory, slotsIn } from '../cutting/cut-slots.ts'
import { type Hash, hashAt, hashLength, type Term } from '../format/hash.ts'
import { fileHash, isEligible } from '../format/hashing.ts'
import { type MerkleTree, merkleTree, type SavedTree } from '../format/merkle-tree.ts'
import { type FileRecipe, fileRecipe } from '../upload/file-recipe.ts'
import { type ChunkFinder, type ChunkPlace, chunkFinder } from '../upload/known-chunks.ts'
import { type PackedXorb, type XorbWriter, xorbWriter } from './xorb-writer.ts'

export type { PackedXorb } from './xorb-writer.ts'

/** With the rest of the piece before it, its new chunks fit into one xorb. */
export const maxPieceBytes = 60 * 1024 * 1024

/** The place in a file between two pieces, as data that can be copied and saved. */
export interface PieceState {
  /** The length of the file so far, with the rest. */
  readonly bytes: number
  readonly tree: SavedTree
  readonly sha256: Uint8Array
  /** Bytes after the last whole chunk. */
  readonly rest: Uint8Array
  readonly firstChunk: Hash | undefined
}

export interface PieceCalls {
  /** The next bytes of the piece; 0 at its end. */
  read(into: Uint8Array): number
  /** The next bytes of the xorb. */
  write(bytes: Uint8Array): void
  /** A shard with xorbs that have the chunk; undefined where none has. */
  findChunk(chunk: Hash): Promise<Uint8Array | undefined>
}

export interface WholeFile {
  readonly hash: Hash
  readonly sha256: Uint8Array
}

export interface PackedPiece {
  readonly state: PieceState
  /** The chunks of the piece, in its own xorb and in xorbs that were found. */
  readonly terms: readonly Term[]
  /** Undefined where every chunk was found. */
  readonly xorb: PackedXorb | undefined
  /** With the last piece. */
  readonly file: WholeFile | undefined
}

let probe: Promise<IHasher> | undefined

/** False for a state that was saved with another version of the hash function. */
export async function canContinue({ sha256 }: Pick<PieceState, 'sha256'>): Promise<boolean> {
  // Every request for an upload asks, and making a hasher takes 20 times as long as loading a state.
  probe ??= createSHA256()
  const hasher = await probe
  try {
    hasher.load(sha256)
    return true
  } catch {
    return false
  }
}

/** One piece repeats little of itself; what is found comes with the shard that names it. */
const rememberedChunks = 65_536

/** Each costs milliseconds of the thread, and one names a whole xorb. A body made of first chunks asks for one per chunk. */
export const maxShards = 32

/** Finds nothing more after so many shards. */
function boundedFinder(findChunk: PieceCalls['findChunk']): PieceCalls['findChunk'] {
  let shards = 0
  return async (chunk) => {
    if (shards >= maxShards) return undefined
    const shard = await findChunk(chunk)
    if (shard !== undefined) shards += 1
    return shard
  }
}

/** Without a state, the file begins. */
export async function packPiece(
  { read, write, findChunk }: PieceCalls,
  { state, isLast }: { readonly state: PieceState | undefined; readonly isLast: boolean },
): Promise<PackedPiece> {
  const sha256 = await sha256From(state?.sha256)
  const packing: Packing = {
    finder: chunkFinder({ findChunk: boundedFinder(findChunk) }, rememberedChunks),
    recipe: fileRecipe(),
    xorb: xorbWriter(write),
    tree: merkleTree(state?.tree),
  }
  const memory = slotMemory(1)
  const [slot = noBytes] = slotsIn(memory, 1)
  const cutter = slotCutter(memory)
  let [bytes, firstChunk] = [state?.bytes ?? 0, state?.firstChunk]
  let before: Uint8Array | undefined = state?.rest
  for (let isEnd = false; !isEnd; ) {
    const length = fill(slot.subarray(slotMargin), read)
    isEnd = length < slotBytes
    const { start, ends, hashes } = cutter.cut(0, {
      ...{ length, isLast: isLast && isEnd },
      rest: before,
    })
    before = undefined
    bytes += length
    sha256.update(slot.subarray(slotMargin, slotMargin + length))
    for (const [index, end] of ends.entries()) {
      const hash = hashes.subarray(index * hashLength, (index + 1) * hashLength)
      firstChunk ??= hashAt(hash)
      await pack(packing, slot.subarray(ends[index - 1] ?? start, end), hash)
    }
  }
  const xorb = packing.xorb.seal()
  const saved = sha256.save()
  return {
    state: { bytes, tree: packing.tree.save(), sha256: saved, rest: cutter.rest(), firstChunk },
    terms: termsOf(packing.recipe),
    xorb,
    file: isLast
      ? { hash: hashAt(fileHash(packing.tree.root())), sha256: sha256.digest('binary') }
      : undefined,
  }
}

interface Packing {
  readonly finder: ChunkFinder
  readonly recipe: FileRecipe
  readonly xorb: XorbWriter
  readonly tree: MerkleTree
}

const noBytes = new Uint8Array(0)

async function sha256From(saved: Uint8Array | undefined): Promise<IHasher> {
  const hasher = await createSHA256()
  return saved === undefined ? hasher.init() : hasher.load(saved)
}

function fill(into: Uint8Array, read: PieceCalls['read']): number {
  let length = 0
  while (length < into.length) {
    const more = read(into.subarray(length))
    if (more === 0) break
    length += more
  }
  return length
}

async function pack(packing: Packing, chunk: Uint8Array, hash: Uint8Array): Promise<void> {
  const { finder, recipe, xorb, tree } = packing
  let place = await find(packing, hash)
  if (place === undefined) {
    place = xorb.add(chunk, hash)
    finder.learn(place)
  }
  recipe.add(place, hash, chunk.length)
  tree.add(hash, chunk.length)
}

/** Undefined for a chunk that has to be stored. */
async function find(
  { finder, recipe, xorb }: Packing,
  hash: Uint8Array,
): Promise<ChunkPlace | undefined> {
  const name = hashAt(hash)
  const next = recipe.continuation(name)
  if (next !== undefined) return next
  if (recipe.isScattered()) return undefined
  const isAsked = recipe.isEmpty() || recipe.endsXorb() || isEligible(hash) || xorb.isEmpty()
  return isAsked ? finder.ask(name) : finder.placeOf(name)
}

/** The xorb of the piece has its name by now. */
function termsOf(recipe: FileRecipe): readonly Term[] {
  return recipe.finish().map(({ xorb: { name }, start, end, unpackedBytes }) => {
    if (name === undefined) throw new Error('a xorb of a file has no name')
    return { xorb: name, start, end, unpackedBytes }
  })
}
