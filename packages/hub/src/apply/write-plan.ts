/** Writes a plan: a small one in one transaction, a large one in steps between which others have their turn. */

import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isRefusal, type JournalNumber, type Refusal } from '@latchkey/protocol'
import { findHead } from '../journal/read-journal.ts'
import type { Change, Put } from '../tables/change.ts'
import type { Transaction } from '../tables/directory.ts'
import type { Applying, StepBounds } from './applying.ts'
import { type DrawnPlan, isOutdated } from './draw-plan.ts'
import type { ReportedChange, Unit } from './planning.ts'

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

/** Moments of a plan: every row that carries one gets the number of the transaction that writes it. */
function numberChange(change: Change, number: JournalNumber): Change {
  switch (change.thing) {
    case 'commit':
      return { ...change, number }
    case 'ref': {
      const { before, after } = change
      const isForked = before === undefined && typeof after?.forked_number === 'number'
      return isForked ? { ...change, after: { ...after, forked_number: number } } : change
    }
    case 'repository': {
      const { before, after } = change
      const isRaised = before !== undefined && after !== undefined && after.epoch !== before.epoch
      return isRaised ? { ...change, after: { ...after, epoch: number } } : change
    }
    default:
      return change
  }
}

/**
 * Rows that exist are deleted or changed before new rows are made, because these changes can take access away. All changes of
 * administrators are one unit: between two of them the directory could be without one.
 */
function orderForSteps(units: readonly Unit[]): readonly Unit[] {
  const administrators = units.filter(touchesAdministrator)
  const others = units.filter((unit) => !touchesAdministrator(unit))
  return [
    ...others.filter(onlyOld),
    ...(administrators.length === 0 ? [] : [merged(administrators)]),
    ...others.filter((unit) => !onlyOld(unit)),
  ]
}

function touchesAdministrator({ changes }: Unit): boolean {
  return changes.some(
    (change) =>
      change.thing === 'account' &&
      (change.before?.administrator === 1 || change.after?.administrator === 1),
  )
}

function onlyOld({ changes }: Unit): boolean {
  return changes.every(isOld)
}

function isOld(change: Change): boolean {
  return 'before' in change && change.before !== undefined
}

function merged(units: readonly Unit[]): Unit {
  return {
    changes: units.flatMap(({ changes }) => changes),
    reported: units.flatMap(({ reported }) => reported),
  }
}
