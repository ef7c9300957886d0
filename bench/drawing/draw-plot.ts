/** A plot of lines over two axes. */

import { axisOf, type Scale } from './axis.ts'
import { element, escaped, svgOf, text } from './svg.ts'

export interface Plot {
  readonly title: string
  /** Below the title; may be empty. */
  readonly note: string
  readonly x: PlotAxis
  readonly y: PlotAxis
  readonly lines: readonly Line[]
}

export interface PlotAxis {
  readonly title: string
  readonly scale: Scale
}

export interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

const width = 900
const height = 480
const area = { left: 70, top: 50, right: 600, bottom: 425 }

/** Told apart also by those who see fewer colours. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#7a5c00', '#555555']

export function drawPlot({ title, note, x, y, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points)
  if (points.length === 0) throw new Error(`${title}: there are no points to draw`)
  const across = axisOf(
    x.scale,
    points.map(({ x }) => x),
    [area.left, area.right],
  )
  const up = axisOf(
    y.scale,
    points.map(({ y }) => y),
    [area.bottom, area.top],
  )
  const middle = (area.top + area.bottom) / 2
  const elements = [
    text(area.left, 24, title, { 'font-size': 15, 'font-weight': 'bold' }),
    text(area.left, 41, note, { fill: '#555555' }),
    ...across.ticks.flatMap(({ at, label }) => [
      gridLine(at, area.top, at, area.bottom),
      text(at, area.bottom + 18, label, { 'text-anchor': 'middle' }),
    ]),
    ...up.ticks.flatMap(({ at, label }) => [
      gridLine(area.left, at, area.right, at),
      text(area.left - 8, at + 4, label, { 'text-anchor': 'end' }),
    ]),
    text((area.left + area.right) / 2, area.bottom + 42, x.title, { 'text-anchor': 'middle' }),
    text(18, middle, y.title, {
      ...{ 'text-anchor': 'middle', transform: `rotate(-90 18 ${middle})` },
    }),
    ...lines.flatMap((line, index) => drawLine(line, index)),
  ]
  return svgOf({ width, height, title, elements })

  function drawLine({ name, points }: Line, index: number): readonly string[] {
    const stroke = colours[index % colours.length] ?? '#000000'
    const places = points
      .toSorted((one, other) => one.x - other.x)
      .map((point) => ({ point, at: [across.place(point.x), up.place(point.y)] as const }))
    const path = places.map(({ at: [left, top] }) => `${left.toFixed(1)},${top.toFixed(1)}`)
    const y = area.top + 12 + index * 20
    return [
      element('polyline', { points: path.join(' '), fill: 'none', stroke, 'stroke-width': 2 }),
      ...places.map(({ point, at: [cx, cy] }) => {
        const words = `${name}: ${Number(point.y.toPrecision(3))} at ${point.x}`
        return element(
          'circle',
          { cx, cy, r: 3.5, fill: stroke },
          `<title>${escaped(words)}</title>`,
        )
      }),
      element('rect', { x: area.right + 20, y: y - 9, width: 12, height: 12, fill: stroke }),
      text(area.right + 38, y + 2, name),
    ]
  }
}

function gridLine(x1: number, y1: number, x2: number, y2: number): string {
  return element('line', { x1, y1, x2, y2, stroke: '#dddddd' })
}
