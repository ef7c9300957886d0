/** Compares many paths with patterns, and lets other requests in between. */

import { setImmediate } from 'node:timers/promises'
import type { Refusal } from '@latchkey/protocol'
import { type Budget, newBudget, spent } from './glob.ts'

/** Other requests wait for so many steps: some tens of milliseconds. */
const stepsAtOnce = 200_000
const mostStepsOfPath = 300_000
/** What a path takes beside its patterns. */
const stepsOfPath = 100

/** Refuses when one path takes too long, or all of them do. */
export async function pathByPath<Path, Result>(
  paths: readonly Path[],
  work: (path: Path, budget: Budget) => Result,
): Promise<readonly Result[] | Refusal> {
  const results: Result[] = []
  let { steps: left } = newBudget()
  let taken = 0
  for (const path of paths) {
    const most = Math.min(left, mostStepsOfPath)
    const budget = { steps: most }
    results.push(work(path, budget))
    if (budget.steps < 0) return spent
    left -= most - budget.steps
    taken += stepsOfPath + most - budget.steps
    if (taken < stepsAtOnce) continue
    taken = 0
    await setImmediate()
  }
  return results
}
