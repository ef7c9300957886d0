/** The plots of the benchmarks, each of the points that one part gives. */

import type { Results } from '../measure/read-results.ts'
import { drawPlot, type Line, type Plot } from './draw-plot.ts'

export interface PlotOfPart extends Omit<Plot, 'lines' | 'note'> {
  /** Of the image. */
  readonly name: string
  readonly part: string
}

export const plots: readonly PlotOfPart[] = [
  {
    name: 'plot-growth',
    part: 'growth',
    title: 'CPU time of a token request',
    x: { title: 'repositories in the directory', scale: 'log' },
    y: { title: 'µs, least of the rounds', scale: 'linear' },
  },
  {
    name: 'plot-latency',
    part: 'latency',
    title: 'Time to an answer, by load',
    x: { title: '% of the capacity measured just before', scale: 'linear' },
    y: { title: 'ms from when a request was due, best round', scale: 'log' },
  },
]

/** Undefined where the figures have no points for it. */
export function plotFrom(
  { figures, note }: Results,
  { name: _, part, ...axes }: PlotOfPart,
): string | undefined {
  const points = figures
    .filter((figure) => figure.part === part)
    .flatMap(({ points = [] }) => points)
  const byLine = Map.groupBy(points, ({ line }) => line)
  const lines = [...byLine].map(([name, own]): Line => ({ name, points: own }))
  return lines.length === 0 ? undefined : drawPlot({ ...axes, note, lines })
}
