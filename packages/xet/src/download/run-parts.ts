/** The runs of a file, cut into parts that are asked for one by one. */

import type { ByteRange } from './download-calls.ts'
import type { PlannedRun } from './download-plan.ts'

export interface RunPart {
  readonly planned: PlannedRun
  readonly bytes: ByteRange
}

/** So much is lost of a part that breaks off for good. */
export const partBytes = 8 * 1024 * 1024

/** `skipped` bytes at the beginning of a run are left out. */
export function* runParts(planned: PlannedRun, skipped: number): Generator<RunPart> {
  const { start, end } = planned.run.bytes
  for (let next = start + skipped; next <= end; next += partBytes) {
    yield { planned, bytes: { start: next, end: Math.min(next + partBytes - 1, end) } }
  }
}
