/** A report for people: one line for each clause, and the reasons below it. */

import type { CheckOutcome, CheckResult } from '../check.ts'
import { byClause, type ClauseResult, countOutcomes } from './by-clause.ts'

const marks: Readonly<Record<CheckOutcome, string>> = {
  passed: 'pass',
  failed: 'FAIL',
  'expected-failure': 'fail, as expected',
  'unexpected-pass': 'PASS, but a failure is expected',
  skipped: 'skip',
  error: 'ERROR',
}

export function textReport(results: readonly CheckResult[]): string {
  const lines = byClause(results)
  const sections = Map.groupBy(lines, ({ section }) => section)
  const parts = Array.from(sections, ([section, clauses]) =>
    [section, ...clauses.flatMap(linesOf)].join('\n'),
  )
  return `${[...parts, summary(lines, results)].join('\n\n')}\n`
}

function linesOf({ name, outcome, checks }: ClauseResult): readonly string[] {
  return [`  ${marks[outcome].padEnd(4)}  ${name}`, ...checks.flatMap(reasonsOf)]
}

function reasonsOf({ id, title, outcome, fault, reason }: CheckResult): readonly string[] {
  if (outcome === 'skipped') return [`          ${id}: skipped: ${reason ?? ''}`]
  if (outcome === 'unexpected-pass')
    return [`          ${id}: remove it from the expected failures`]
  if (fault === undefined) return []
  return [
    `          ${id}: ${title}`,
    ...(fault.request === undefined ? [] : [`            request   ${fault.request}`]),
    `            expected  ${fault.expected}`,
    `            got       ${fault.got}`,
  ]
}

function summary(clauses: readonly ClauseResult[], results: readonly CheckResult[]): string {
  return [`clauses: ${countsLine(clauses)}`, `checks:  ${countsLine(results)}`].join('\n')
}

function countsLine(results: readonly { readonly outcome: CheckOutcome }[]): string {
  const counts = countOutcomes(results)
  const words: readonly (readonly [number, string])[] = [
    [counts.passed, 'passed'],
    [counts.failed, 'failed'],
    [counts.error, 'without a result'],
    [counts['expected-failure'], 'failed as expected'],
    [counts['unexpected-pass'], 'passed unexpectedly'],
    [counts.skipped, 'skipped'],
  ]
  const named = words.filter(([count], at) => count > 0 || at < 2)
  return named.map(([count, word]) => `${count} ${word}`).join(', ')
}
