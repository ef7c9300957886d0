import { describe, expect, it } from 'vitest'
import { type Figure, measuredOf, verdictOf } from '../measure/figure.ts'
import { numberText, tableOf } from '../measure/table.ts'

const figure = (more: Partial<Figure>): Figure => ({
  figure: 'hub',
  anchor: 'bare-es',
  result: measuredOf([0.4, 0.5, 0.6]),
  ...more,
})
const tableWith = (more: Partial<Figure>) => tableOf([{ part: 'issue', ...figure(more) }])

describe('a figure', () => {
  it('is short below a goal to reach, and above a goal to stay under', () => {
    expect(verdictOf(figure({ goal: { atLeast: 0.51 } }))).toBe('short')
    expect(verdictOf(figure({ goal: { atMost: 0.49 } }))).toBe('short')
  })

  it('passes at its goal', () => {
    expect(verdictOf(figure({ goal: { atLeast: 0.5 } }))).toBe('pass')
    expect(verdictOf(figure({ goal: { atMost: 0.5 } }))).toBe('pass')
  })

  it('neither passes nor is short without a goal, or without being measured', () => {
    expect(verdictOf(figure({}))).toBe('no goal')
    const result = { notMeasured: 'nginx is missing' }
    expect(verdictOf(figure({ result, goal: { atLeast: 1 } }))).toBe('not measured')
  })

  it('counts no round that gave no number', () => {
    expect(measuredOf([Number.NaN, 2, Number.POSITIVE_INFINITY])).toMatchObject({
      ...{ value: 2, rounds: 1, of: 3 },
    })
    expect(measuredOf([Number.NaN])).toEqual({ notMeasured: 'no round gave a figure' })
  })

  it('is the least of the rounds where noise can only add', () => {
    expect(measuredOf([3, 1, 2], { least: true })).toMatchObject({ value: 1 })
  })
})

describe('the table', () => {
  it('says of what was not measured why, and prints no empty figure', () => {
    const result = { notMeasured: 'nginx is missing; install Debian’s nginx' }
    const table = tableWith({ result, details: { MB: undefined } })
    expect(table).toContain('not measured: nginx is missing; install Debian’s nginx')
    expect(table).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('shows ratio, spread, goal and verdict in columns', () => {
    const [head = '', , row = ''] = tableWith({ goal: { atLeast: 0.9 } }).split('\n')
    const under = (column: string) => row.slice(head.indexOf(column)).split('  ')[0]
    expect(['ratio', 'spread', 'goal', 'verdict'].map(under)).toEqual([
      ...['0.50', '0.40–0.60', '≥ 0.9', 'short'],
    ])
  })

  it('says how to read a value that is not read as usual', () => {
    const result = measuredOf([1], { note: 'of CPU time' })
    expect(tableWith({ result, goal: { atLeast: 1 } })).toContain('pass (of CPU time)')
  })

  it('has three digits that count', () => {
    expect([0.123, 12.34, 1234.5].map(numberText)).toEqual(['0.12', '12.3', '1235'])
  })
})
