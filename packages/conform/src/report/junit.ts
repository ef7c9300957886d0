/** A report for CI systems: a test suite for each section, a test case for each clause. */

import type { CheckResult } from '../check.ts'
import { byClause, type ClauseResult, countOutcomes } from './by-clause.ts'

export function junitReport(results: readonly CheckResult[]): string {
  const sections = Map.groupBy(byClause(results), ({ section }) => section)
  const suites = Array.from(sections, ([section, clauses]) => suite(section, clauses))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="latchkey conform">',
    ...suites,
    '</testsuites>\n',
  ].join('\n')
}

function suite(section: string, clauses: readonly ClauseResult[]): string {
  const counts = countOutcomes(clauses)
  const attributes = [
    `name="${escaped(section)}"`,
    `tests="${clauses.length}"`,
    `failures="${counts.failed + counts['unexpected-pass']}"`,
    `errors="${counts.error}"`,
    `skipped="${counts.skipped + counts['expected-failure']}"`,
    `time="${seconds(clauses.flatMap(({ checks }) => checks))}"`,
  ]
  const cases = clauses.map(testCase)
  return [`  <testsuite ${attributes.join(' ')}>`, ...cases, '  </testsuite>'].join('\n')
}

function testCase({ section, name, outcome, checks }: ClauseResult): string {
  const start = `    <testcase classname="${escaped(section)}" name="${escaped(name)}" time="${seconds(checks)}"`
  if (outcome === 'passed') return `${start}/>`
  const own = checks.filter((check) => check.outcome === outcome)
  const message = `message="${escaped(own.map(({ id }) => id).join(', '))}"`
  const text = escaped(own.map(reason).join('\n'))
  const element = elements[outcome]
  return `${start}>\n      <${element} ${message}>${text}</${element}>\n    </testcase>`
}

/** JUnit has no word for an expected failure; CI systems count a skipped test as no failure. */
const elements = {
  failed: 'failure',
  'unexpected-pass': 'failure',
  error: 'error',
  'expected-failure': 'skipped',
  skipped: 'skipped',
} as const

function reason({ id, title, outcome, fault, reason: skipped }: CheckResult): string {
  if (outcome === 'unexpected-pass') return `${id}: passes, but is listed as an expected failure`
  if (fault === undefined) return `${id}: ${skipped ?? ''}`
  const request = fault.request === undefined ? '' : `, request: ${fault.request}`
  return `${id}: ${title}${request}, expected: ${fault.expected}, got: ${fault.got}`
}

function seconds(checks: readonly CheckResult[]): string {
  return (checks.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(3)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** XML 1.0 has no form for most controls and for half surrogates. */
const unwritable = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function escaped(text: string): string {
  return text
    .replace(unwritable, '\ufffd')
    .replace(/[&<>"\n]/g, (character) => entities[character] ?? '')
}
