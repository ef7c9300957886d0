/** Figures as one table for people. */

import { type Figure, type Goal, isMeasured, verdictOf } from './figure.ts'

export interface PartFigure extends Figure {
  readonly part: string
}

const columns = [
  'part',
  'figure',
  'anchor',
  'ratio',
  'spread',
  'rounds',
  'goal',
  'verdict',
  'beside',
] as const

type Row = Readonly<Record<(typeof columns)[number], string>>

export function tableOf(figures: readonly PartFigure[]): string {
  const heads = Object.fromEntries(columns.map((name) => [name, name])) as Row
  const rows = [heads, ...figures.map(rowOf)]
  const widths = columns.map((name) => Math.max(...rows.map((row) => row[name].length)))
  const lines = rows.map((row) =>
    columns
      .map((name, at) => row[name].padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], widths.map((width) => '–'.repeat(width)).join('  '), ...lines.slice(1)].join(
    '\n',
  )
}

function rowOf({ part, figure, anchor, result, goal, details = {} }: PartFigure): Row {
  const common = { part, figure, anchor, goal: goalText(goal), beside: detailsText(details) }
  if (!isMeasured(result)) {
    const verdict = `not measured: ${result.notMeasured}`
    return { ...common, ratio: '', spread: '', rounds: '', verdict }
  }
  const { value, low, high, unit, rounds, of, note } = result
  const verdict = verdictOf({ result, ...(goal && { goal }) })
  return {
    ...common,
    ratio: unit === undefined ? numberText(value) : `${numberText(value)} ${unit}`,
    spread: `${numberText(low)}–${numberText(high)}`,
    rounds: rounds === of ? String(of) : `${rounds} of ${of}`,
    verdict: note === undefined ? verdict : `${verdict} (${note})`,
  }
}

function goalText(goal: Goal | undefined): string {
  if (goal === undefined) return ''
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`
}

function detailsText(details: NonNullable<Figure['details']>): string {
  return Object.entries(details)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${numberText(value)}`]))
    .join(', ')
}

/** How long the parts took, and all of them together. */
export function timesText(seconds: readonly (readonly [part: string, seconds: number])[]): string {
  const total = seconds.reduce((sum, [, took]) => sum + took, 0)
  const each = seconds.map(([part, took]) => `${part} ${took}`)
  return `seconds: ${each.join(', ')}; together ${total}`
}

/** Three digits that count, and no more than two behind the point. */
export function numberText(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}
