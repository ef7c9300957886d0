/** Cuts files into hashed chunks: small ones here, and large ones on a thread that all files of an upload share. */

import { allocate, unref } from '#platform/bytes'
import { loadHashes, newSha256 } from '#platform/hashes'
import { slotCount, slotThread } from '#slot-thread'
import { type Hash, hashAt, hashLength } from '../format/hash.ts'
import { fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import {
  type CutSlot,
  cutWhole,
  type SlotThread,
  slotBytes,
  slotLength,
  slotMargin,
} from './cut-slots.ts'

export interface HashedChunk {
  readonly bytes: Uint8Array
  readonly hash: Uint8Array
}

/** Good until the next is asked for. */
export interface CutBatch {
  readonly chunks: readonly HashedChunk[]
  /** The SHA-256 of the whole file, with its last batch. */
  readonly sha256: Uint8Array | undefined
}

export interface FileCutter {
  /**
   * The parts of the data are not kept. Each is asked for with memory, which the source may read it into.
   * The thread cuts one file at a time: a large one waits for `threadIsFree`, which a caller that cuts one file after the
   * other leaves out.
   */
  cut(data: AsyncIterable<Uint8Array>, threadIsFree?: Promise<void>): AsyncGenerator<CutBatch>
  /** The thread ends, and so does what it cuts. */
  end(): void
}

/** A thread that is not needed for so long ends, and the next large file starts another. */
const idleMs = 1000

export function fileCutter(): FileCutter {
  const spare: Uint8Array[] = []
  const shared = sharedThread()
  return {
    async *cut(data, threadIsFree) {
      const memory = spare.pop() ?? allocate(slotLength)
      const filling = slotFiller(data)
      try {
        await loadHashes()
        const { length, isLast } = await filling.fill(memory)
        if (isLast) return yield await cutHere(memory, length)
        await threadIsFree
        const thread = shared.take()
        try {
          yield* cutOnThread(thread, filling, memory.subarray(0, slotMargin + length))
        } finally {
          shared.giveBack()
        }
      } finally {
        spare.push(memory)
        await filling.close()
      }
    },
    end: shared.end,
  }
}

/** Several slots are under way while one is used; what is yielded stays until the next is asked for. */
async function* cutOnThread(
  thread: SlotThread,
  filling: SlotFiller,
  first: Uint8Array,
): AsyncGenerator<CutBatch> {
  const underWay: { readonly slot: Uint8Array; readonly done: Promise<CutSlot> }[] = []
  // Takes as long as all that the thread does, so it is done here at the same time.
  const sha256 = await newSha256()
  let count = 0
  let isEnded = false
  const next = async () => {
    const [number, isFirst] = [count % slotCount, count === 0]
    const slot = thread.slots[number] ?? first
    if (isFirst) slot.set(first)
    const { length, isLast } = isFirst
      ? { length: first.length - slotMargin, isLast: false }
      : await filling.fill(slot)
    isEnded = isLast
    count += 1
    underWay.push({ slot, done: thread.cut(number, { length, isFirst, isLast }) })
    sha256.update(dataIn(slot, length))
  }
  for (;;) {
    while (!isEnded && underWay.length < slotCount - 1) await next()
    const oldest = underWay.shift()
    if (oldest === undefined) return
    const chunks = chunksIn(oldest.slot, await oldest.done)
    yield { chunks, sha256: isEnded && underWay.length === 0 ? sha256.digest() : undefined }
  }
}

async function cutHere(slot: Uint8Array, length: number): Promise<CutBatch> {
  const sha256 = await newSha256()
  sha256.update(dataIn(slot, length))
  return { chunks: chunksIn(slot, cutWhole(slot, length)), sha256: sha256.digest() }
}

function dataIn(slot: Uint8Array, length: number): Uint8Array {
  return slot.subarray(slotMargin, slotMargin + length)
}

function chunksIn(slot: Uint8Array, { start, ends, hashes }: CutSlot): readonly HashedChunk[] {
  return ends.map((end, index) => ({
    bytes: slot.subarray(ends[index - 1] ?? start, end),
    hash: hashes.subarray(index * hashLength, (index + 1) * hashLength),
  }))
}

interface SlotFiller {
  /** Behind the margin; `isLast` where the data ended with it. */
  fill(slot: Uint8Array): Promise<{ readonly length: number; readonly isLast: boolean }>
  close(): Promise<void>
}

function slotFiller(data: AsyncIterable<Uint8Array>): SlotFiller {
  const parts = data[Symbol.asyncIterator]()
  let part: Uint8Array = new Uint8Array(0)
  return {
    async fill(slot) {
      let length = 0
      while (length < slotBytes) {
        if (part.length === 0) {
          const { done, value } = await parts.next(slot.subarray(slotMargin + length))
          if (done) return { length, isLast: true }
          part = value
        }
        const some = part.subarray(0, slotBytes - length)
        // A source that reads into the memory that it was given leaves nothing to copy.
        if (!isAt(slot, slotMargin + length, some)) slot.set(some, slotMargin + length)
        length += some.length
        part = part.subarray(some.length)
      }
      return { length, isLast: false }
    },
    close: async () => void (await parts.return?.()),
  }
}

function isAt(slot: Uint8Array, offset: number, some: Uint8Array): boolean {
  return some.buffer === slot.buffer && some.byteOffset === slot.byteOffset + offset
}

/** Started when it is needed first. */
function sharedThread() {
  let thread: SlotThread | undefined
  let idle: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(idle)
    thread?.end()
    thread = undefined
  }
  return {
    take(): SlotThread {
      clearTimeout(idle)
      thread ??= slotThread()
      return thread
    },
    giveBack(): void {
      idle = setTimeout(end, idleMs)
      unref(idle)
    },
    end,
  }
}

/** A client that cuts in another way gives the same data another hash. */
export async function hashData(data: AsyncIterable<Uint8Array>): Promise<Hash> {
  const tree = merkleTree()
  const cutter = fileCutter()
  try {
    for await (const { chunks } of cutter.cut(data)) {
      for (const { bytes, hash } of chunks) tree.add(hash, bytes.length)
    }
  } finally {
    cutter.end()
  }
  return hashAt(fileHash(tree.root()))
}
