/** A flame graph: a frame is as wide as its share of the samples, and stands on the frame that called it. */

import { element, escaped, svgOf, text } from '../drawing/svg.ts'
import type { Stack } from './fold.ts'
import { type FrameKind, kindOf } from './frame.ts'

/** A frame at its place, in samples from the left and frames from the ground. */
export interface Placed {
  readonly frame: string
  readonly from: number
  readonly samples: number
  readonly depth: number
}

export interface FlameWords {
  readonly title: string
  /** How it was measured. */
  readonly below: string
}

const width = 1200
const margin = 10
const rowHeight = 17
const headHeight = 70
const letterWidth = 6.65
/** Narrower frames are not drawn: nobody can read or point at them. */
const leastWidth = 0.8

const colours: Readonly<Record<FrameKind, readonly [fill: string, words: string]>> = {
  own: ['#f6b26b', 'Latchkey'],
  installed: ['#ffe08a', 'dependencies'],
  node: ['#9fc5e8', 'Node, by its parts'],
  native: ['#cfcfcf', 'not JavaScript'],
  collection: ['#e99a9a', 'garbage collection'],
}

export function drawFlame(stacks: readonly Stack[], { title, below }: FlameWords): string {
  const placed = placeFrames(stacks)
  const total = stacks.reduce((sum, { samples }) => sum + samples, 0)
  const scale = (width - 2 * margin) / total
  const drawn = placed.filter(({ samples }) => samples * scale >= leastWidth)
  const rows = Math.max(...drawn.map(({ depth }) => depth)) + 1
  const height = headHeight + rows * rowHeight + margin
  const frames = drawn.map((each) => {
    const [x, own] = [margin + each.from * scale, each.samples * scale]
    const y = height - margin - (each.depth + 1) * rowHeight
    return frameAt({ x, y, own, frame: each.frame, share: each.samples / total })
  })
  return svgOf({ width, height, title, elements: [...heading(title, below), ...frames] })
}

/** Frames with the same callers are one, and siblings stand in the order of their names. */
export function placeFrames(stacks: readonly Stack[], depth = 0, from = 0): readonly Placed[] {
  const groups = Map.groupBy(
    stacks.filter(({ frames }) => frames.length > depth),
    ({ frames }) => frames[depth] ?? '',
  )
  let left = from
  return [...groups.keys()].toSorted().flatMap((frame) => {
    const own = groups.get(frame) ?? []
    const samples = own.reduce((sum, stack) => sum + stack.samples, 0)
    const placed = [{ frame, from: left, samples, depth }, ...placeFrames(own, depth + 1, left)]
    left += samples
    return placed
  })
}

function heading(title: string, below: string): readonly string[] {
  const kinds = Object.values(colours).flatMap(([fill, words], at) => {
    const x = margin + at * 190
    return [
      element('rect', { x, y: 48, width: 12, height: 12, fill }),
      text(x + 17, 58, words, { fill: '#333333' }),
    ]
  })
  return [
    text(margin, 22, title, { 'font-size': 15, 'font-weight': 'bold' }),
    text(margin, 39, below, { fill: '#555555' }),
    ...kinds,
  ]
}

interface Box {
  readonly x: number
  readonly y: number
  readonly own: number
  readonly frame: string
  readonly share: number
}

function frameAt({ x, y, own, frame, share }: Box): string {
  const title = `<title>${escaped(`${frame}, ${(share * 100).toFixed(1)} %`)}</title>`
  const [fill] = colours[kindOf(frame)]
  const box = element('rect', {
    ...{ x, y, width: own, height: rowHeight - 1, fill },
    ...{ stroke: '#ffffff', 'stroke-width': 0.5 },
  })
  const label = shortened(frame, Math.floor((own - 6) / letterWidth))
  return `<g>${title}${box}${label === '' ? '' : text(x + 3, y + 12, label)}</g>`
}

/** The function alone where its file does not fit. */
function shortened(frame: string, letters: number): string {
  const [, file = '', name = frame] = /^(.*\/.*):(.+)$/.exec(frame) ?? []
  const spellings = [frame, `${file.split('/').at(-1)}:${name}`, name]
  const fitting = spellings.find((each) => each.length <= letters)
  if (fitting !== undefined) return fitting
  return letters < 4 ? '' : `${name.slice(0, letters - 1)}…`
}
