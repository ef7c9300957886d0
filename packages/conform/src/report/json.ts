/** A report for programs. */

import type { CheckResult } from '../check.ts'
import { byClause, countOutcomes, isAsExpected } from './by-clause.ts'

export function jsonReport(results: readonly CheckResult[]): string {
  const clauses = byClause(results)
  const report = {
    asExpected: isAsExpected(results),
    clauses: countOutcomes(clauses),
    checks: countOutcomes(results),
    results: clauses.map(({ section, name, outcome, checks }) => ({
      ...{ section, clause: name, outcome },
      checks: checks.map(({ clause: _, ...check }) => check),
    })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
