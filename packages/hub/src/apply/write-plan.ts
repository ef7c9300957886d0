/** Writes a plan: a small one in one transaction, a large one in steps between which others have their turn. */

import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { findHead } from '../journal/read-journal.ts'
import type { Put } from '../tables/change.ts'
import type { Transaction } from '../tables/directory.ts'
import type { Applying, StepBounds } from './applying.ts'
import { type DrawnPlan, isOutdated } from './draw-plan.ts'
import { numberChange } from './number-changes.ts'
import type { ReportedChange, Unit } from './planning.ts'
import { orderForSteps } from './step-order.ts'

export const usualBounds: StepBounds = {
  wholeChanges: 2000,
  stepMs: 500,
  changesAtOnce: 500,
  pauseMs: 60,
}

/** Adds to `written` what the steps have made, also where the plan is outdated before its end. */
export async function writePlan(
  applying: Applying,
  { plan, actor, since }: DrawnPlan,
  written: ReportedChange[],
): Promise<'written' | 'outdated' | Refusal> {
  const { directory, identify, originOf, concerns, bounds } = applying
  const isWhole = sizeOf(plan.units) <= bounds.wholeChanges
  const stepMs = isWhole ? Number.POSITIVE_INFINITY : bounds.stepMs
  const { changesAtOnce } = bounds
  let rest = isWhole ? plan.units : orderForSteps(plan.units)
  let head = since
  const writeStep = async ({ tables, number, putAs }: Transaction) => {
    const current = await identify()
    if (isRefusal(current)) return current
    const isOther = !isDeepStrictEqual(current, actor)
    if (isOther || (await isOutdated(tables, head, concerns))) return 'outdated'
    const put = putAs(originOf(current))
    const count = await putUnits(rest, { stepMs, changesAtOnce }, (changes) =>
      put(changes.map((change) => numberChange(change, number))),
    )
    return { count, head: (await findHead(tables)).number }
  }
  while (rest.length > 0) {
    const step = await directory.change(writeStep)
    if (step === 'outdated' || isRefusal(step)) return step
    for (const { reported } of rest.slice(0, step.count)) written.push(...reported)
    rest = rest.slice(step.count)
    head = step.head
    if (rest.length > 0) await delay(bounds.pauseMs)
  }
  return 'written'
}

/** Puts units until the time is over; gives how many. */
async function putUnits(
  units: readonly Unit[],
  { stepMs, changesAtOnce }: Pick<StepBounds, 'stepMs' | 'changesAtOnce'>,
  put: Put,
): Promise<number> {
  const end = performance.now() + stepMs
  let count = 0
  while (count < units.length && (count === 0 || performance.now() < end)) {
    const changes: Unit['changes'][number][] = []
    for (const unit of units.slice(count, count + changesAtOnce)) {
      if (changes.length > 0 && changes.length + unit.changes.length > changesAtOnce) break
      for (const change of unit.changes) changes.push(change)
      count += 1
    }
    await put(changes)
  }
  return count
}

function sizeOf(units: readonly Unit[]): number {
  return units.reduce((sum, { changes }) => sum + changes.length, 0)
}
