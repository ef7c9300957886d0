import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { axisOf } from '../drawing/axis.ts'
import { drawPlot, type Plot } from '../drawing/draw-plot.ts'
import { plotFrom, plots } from '../drawing/plots.ts'
import { measuredOf, type PlotPoint } from '../measure/figure.ts'
import { noteOnLoad } from '../measure/other-load.ts'
import { readResults } from '../measure/read-results.ts'

const labels = (values: readonly number[], scale: 'linear' | 'log') =>
  axisOf(scale, values, [0, 100]).ticks.map(({ label }) => label)

describe('an axis', () => {
  it('has no place for what cannot be drawn', () => {
    expect(() => axisOf('linear', [1, Number.NaN], [0, 1])).toThrow('NaN')
    expect(() => axisOf('linear', [-1], [0, 1])).toThrow('-1')
    expect(() => axisOf('log', [0, 1], [0, 1])).toThrow('0 has no place')
  })

  it('begins at 0 and ends at a round number, unless it is of powers', () => {
    expect(labels([31, 116], 'linear')).toEqual(['0', '20', '40', '60', '80', '100', '120'])
    expect(labels([0], 'linear')).not.toHaveLength(0)
  })

  it('of powers has a mark at each', () => {
    const all = ['1000', '10 k', '100 k', '1 M', '10 M']
    expect(labels([1e3, 1e7], 'log')).toEqual(all)
    expect(labels([0.3, 4], 'log')).toEqual(['0.1', '0.2', '0.5', '1', '2', '5', '10'])
  })

  it('places a value by its share, or by the share of its power', () => {
    expect(axisOf('linear', [0, 50, 120], [100, 0]).place(60)).toBe(50)
    expect(axisOf('log', [1, 100], [0, 100]).place(10)).toBe(50)
    expect(axisOf('log', [10], [0, 100]).place(10)).toBe(0)
  })
})

describe('a plot', () => {
  const plot: Plot = {
    title: 'a < b & c',
    note: 'd < e',
    x: { title: 'size', scale: 'log' },
    y: { title: 'µs', scale: 'linear' },
    lines: [
      {
        name: '<script>',
        points: [
          { x: 100, y: 10 },
          { x: 1, y: 5 },
        ],
      },
    ],
  }

  it('is refused without points', () => {
    expect(() => drawPlot({ ...plot, lines: [] })).toThrow('no points')
  })

  it('draws a line through its points from left to right', () => {
    expect(drawPlot(plot)).toContain('points="70.0,237.5 600.0,50.0"')
  })

  it('writes words as text, whatever they are', () => {
    expect(drawPlot(plot)).not.toMatch(/<script|[ad] < |&(?!amp;|lt;|gt;|quot;)/)
  })
})

describe('the plots of results', () => {
  const figures = (part: string, points: readonly PlotPoint[]) => ({
    figures: [{ part, figure: 'a', anchor: '', result: measuredOf([1]), points }],
    note: 'beside others',
  })

  it.each(plots)('$name has the points of its part alone', (plot) => {
    const points = [{ line: 'hub', x: 10, y: 20 }]
    expect(plotFrom(figures('another', points), plot)).toBeUndefined()
    expect(plotFrom(figures(plot.part, []), plot)).toBeUndefined()
    expect(plotFrom(figures(plot.part, points), plot)).toContain('<title>hub: 20 at 10</title>')
    expect(plotFrom(figures(plot.part, points), plot)).toContain('>beside others<')
  })

  it('are of files that hold figures', () => {
    expect(() => readResults([join(import.meta.dirname, '../../package.json')])).toThrow(
      'has no figures of a benchmark',
    )
  })

  it('say that others were at work on the machine', () => {
    expect(noteOnLoad({ cores: 2, loadAtTheEnd: 4 })).toBe('')
    expect(noteOnLoad({ cores: 2, loadAtTheEnd: 12.3 })).toContain('other load (12 on 2 cores)')
  })

  it('that lack points end the command with a failure that names the part', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-test-'))
    const file = join(folder, 'results.json')
    writeFileSync(file, '{"figures":[]}')
    const command = join(import.meta.dirname, '../plots.ts')
    const { status, stderr } = spawnSync(process.execPath, [command, file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect(stderr).toContain(
      'plot-growth is not drawn: the results have no points of the part growth',
    )
    expect(status).toBe(1)
  })
})
