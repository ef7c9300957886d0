/** Has reconstructions made on threads: small ones on other threads than those that may take longer. */

import type { Refusal } from '@latchkey/protocol'
import type { DayKeys } from '../blob-url/day-keys.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { ReconstructionQuestion } from './make-reconstruction.ts'
import type { PlanResult } from './plan-work.ts'

export type PlanPool = ThreadPool<ReconstructionQuestion, never, PlanResult | Refusal>

export type Size = 'small' | 'large'

/** A small one with many terms is only counted. */
export type PlanReconstruction = (
  size: Size,
  question: Omit<ReconstructionQuestion, 'maxTerms' | 'key'>,
  signal: AbortSignal,
) => Promise<PlanResult | Refusal>

/** An answer with so many terms is small. */
const fewTerms = 256

/** Every task brings the key of its day: threads have none of their own. */
export function planner(
  pools: Readonly<Record<Size, PlanPool>>,
  keys: Pick<DayKeys, 'today' | 'freshen'>,
): PlanReconstruction {
  return async (size, question, signal) => {
    const maxTerms = size === 'small' ? fewTerms : Number.POSITIVE_INFINITY
    // A thousand files take as many lookups, however few terms they have.
    const pool = question.form === 'batch' ? pools.large : pools[size]
    await keys.freshen()
    return pool.run({ ...question, maxTerms, key: keys.today() }, { signal })
  }
}
