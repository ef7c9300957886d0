/** Fetches parts several at a time, and gives them in their order; the memory for them is bounded. */

import { allocate } from '#platform/bytes'
import { chunkHeaderLength } from '../format/chunk-header.ts'
import { maxPackedChunkBytes } from '../format/limits.ts'
import type { ByteRange } from './download-calls.ts'
import type { PlannedRun } from './download-plan.ts'

/** Requests under way at once. */
const atOnce = 4
/** One more is being unpacked, and one more is being written. */
const maxSlabs = atOnce + 2

/** Room before a part for the chunk that began in the part before it. */
export const headroom = chunkHeaderLength + maxPackedChunkBytes

interface FetchedPart {
  readonly part: RunPart
  /** The part begins behind the headroom. */
  readonly slab: Uint8Array
  /** The memory may be used again. */
  release(): void
}

export interface Slabs {
  take(): Uint8Array | undefined
  give(slab: Uint8Array): void
}

/** Memory is used again: an allocation for each part would keep the garbage collector busy. */
export function slabs(longestRun: number): Slabs {
  const length = headroom + Math.min(longestRun, maxPartBytes)
  const free: Uint8Array[] = []
  let made = 0
  return {
    take() {
      const slab = free.pop()
      if (slab !== undefined || made === maxSlabs) return slab
      made += 1
      return allocate(length)
    },
    give: (slab) => void free.push(slab),
  }
}

export async function* fetchAhead(
  parts: Iterator<RunPart>,
  memory: Slabs,
  fetch: (part: RunPart, into: Uint8Array) => Promise<void>,
): AsyncGenerator<FetchedPart> {
  const underWay: { readonly fetched: FetchedPart; readonly whole: Promise<void> }[] = []
  const begin = () => {
    while (underWay.length < atOnce) {
      const slab = memory.take()
      if (slab === undefined) return
      const { value: part, done } = parts.next()
      if (done === true) return memory.give(slab)
      const length = part.bytes.end + 1 - part.bytes.start
      const whole = fetch(part, slab.subarray(headroom, headroom + length))
      // A failure is thrown when this part is awaited.
      whole.catch(() => {})
      underWay.push({ fetched: { part, slab, release: () => memory.give(slab) }, whole })
    }
  }
  for (begin(); underWay.length > 0; begin()) {
    const [next] = underWay.splice(0, 1)
    if (next === undefined) return
    await next.whole
    yield next.fetched
  }
}

export interface RunPart {
  readonly planned: PlannedRun
  readonly bytes: ByteRange
}

/** So much is lost of a part that breaks off for good. */
const maxPartBytes = 8 * 1024 * 1024
const firstPartBytes = 512 * 1024

/** The first ones are short, so that there is something to hash and to write at once. */
export function* partLengths(): Generator<number, never> {
  for (let length = firstPartBytes; ; length = Math.min(2 * length, maxPartBytes)) yield length
}

/** `skipped` bytes at the beginning of a run are left out. */
export function* runParts(
  planned: PlannedRun,
  skipped: number,
  lengths: Generator<number, never>,
): Generator<RunPart> {
  const { start, end } = planned.run.bytes
  for (let next = start + skipped; next <= end; ) {
    const last = Math.min(next + lengths.next().value - 1, end)
    yield { planned, bytes: { start: next, end: last } }
    next = last + 1
  }
}
