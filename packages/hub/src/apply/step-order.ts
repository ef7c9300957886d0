/** The order in which a plan of several steps is written, so that every step leaves a valid directory. */

import type { Change } from '../tables/change.ts'
import type { Unit } from './planning.ts'

/**
 * Rows that exist are deleted or changed before new rows are made, because these changes can take access away. All changes of
 * administrators are one unit: between two of them the directory could be without one.
 */
export function orderForSteps(units: readonly Unit[]): readonly Unit[] {
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
