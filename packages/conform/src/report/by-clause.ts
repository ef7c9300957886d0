import type { CheckOutcome, CheckResult } from '../check.ts'
import { type Clause, clauseNames } from '../clauses.ts'

/** A line of every report. */
export interface ClauseResult {
  readonly section: string
  readonly name: string
  readonly outcome: CheckOutcome
  readonly checks: readonly CheckResult[]
}

/** The worst first: a clause has the outcome of its worst check. */
const severity = [
  ...(['error', 'failed', 'unexpected-pass', 'expected-failure', 'passed', 'skipped'] as const),
] satisfies readonly CheckOutcome[]

/** In the order of the specification, and only clauses with checks. */
export function byClause(results: readonly CheckResult[]): readonly ClauseResult[] {
  const groups = Map.groupBy(results, ({ clause }) => clause)
  return clauseNames.flatMap((clause) => {
    const checks = groups.get(clause)
    return checks === undefined ? [] : [{ ...splitClause(clause), outcome: worst(checks), checks }]
  })
}

function worst(checks: readonly CheckResult[]): CheckOutcome {
  return severity.find((one) => checks.some(({ outcome }) => outcome === one)) ?? 'skipped'
}

function splitClause(clause: Clause): { readonly section: string; readonly name: string } {
  const at = clause.indexOf(' / ')
  return { section: clause.slice(0, at), name: clause.slice(at + ' / '.length) }
}

export type Counts = Readonly<Record<CheckOutcome, number>>

export function countOutcomes(results: readonly { readonly outcome: CheckOutcome }[]): Counts {
  const count = (one: CheckOutcome) => results.filter(({ outcome }) => outcome === one).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    'expected-failure': count('expected-failure'),
    'unexpected-pass': count('unexpected-pass'),
    skipped: count('skipped'),
    error: count('error'),
  }
}

/** Whether the server is as the caller expects. An expected failure that passes is not. */
export function isAsExpected(results: readonly CheckResult[]): boolean {
  const asExpected: readonly CheckOutcome[] = ['passed', 'expected-failure', 'skipped']
  return results.every(({ outcome }) => asExpected.includes(outcome))
}
