/** The runs of a file, cut into parts that are asked for one by one. */

import type { ByteRange } from './download-calls.ts'
import type { PlannedRun } from './download-plan.ts'

export interface RunPart {
  readonly planned: PlannedRun
  readonly bytes: ByteRange
}

/** So much is lost of a part that breaks off for good. */
export const mostPartBytes = 8 * 1024 * 1024
const firstPartBytes = 512 * 1024

/** The first ones are short, so that there is something to hash and to write at once. */
export function* partLengths(): Generator<number, never> {
  for (let length = firstPartBytes; ; length = Math.min(2 * length, mostPartBytes)) yield length
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
