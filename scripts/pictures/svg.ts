/** Parts of a drawing: boxes, text and arrows, in colours for light and dark. */

const style = `
  text { font: 14px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .bold { font-weight: 600 }
  .small { font-size: 12px; fill: #59636e }
  .line { stroke: #59636e; stroke-width: 1.5; fill: none }
  .thin { stroke: #d1d9e0; stroke-width: 1 }
  .head { fill: #59636e }
  .back { fill: #ffffff; stroke: #d1d9e0 }
  .client { fill: #eaeef2; stroke: #818b98 }
  .own { fill: #ddf4ff; stroke: #0969da }
  .data { fill: #dafbe1; stroke: #1a7f37 }
  .other { fill: #fff8c5; stroke: #9a6700 }
  .dash { stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .line { stroke: #9198a1 }
    .thin { stroke: #3d444d }
    .head { fill: #9198a1 }
    .back { fill: #0d1117; stroke: #3d444d }
    .client { fill: #212830; stroke: #656c76 }
    .own { fill: #121d2f; stroke: #4493f8 }
    .data { fill: #12261e; stroke: #3fb950 }
    .other { fill: #272115; stroke: #d29922 }
  }`

interface Drawing {
  readonly width: number
  readonly height: number
  readonly title: string
  /** For people who do not see it. */
  readonly description: string
  readonly parts: readonly string[]
}

export function svg({ width, height, title, description, parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${title}</title>
<desc id="d">${description}</desc>
<style>${style}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>
<rect class="back" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`
}

export type Kind = 'client' | 'own' | 'data' | 'other'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height?: number
  readonly kind: Kind
  readonly lines: readonly string[]
}

/** The first line is bold, the others are small. */
export function box({ x, y, width, height = 36, kind, lines }: Box): string {
  const middle = x + width / 2
  const top = y + height / 2 - (lines.length - 1) * 8 + 5
  const rows = lines.map((line, index) =>
    text(line, { x: middle, y: top + index * 16, kind: index === 0 ? 'bold' : 'small' }),
  )
  const frame = `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`
  return [frame, ...rows].join('\n')
}

export interface TextPlace {
  readonly x: number
  readonly y: number
  readonly kind?: string
  readonly anchor?: 'start' | 'middle' | 'end'
}

export function text(
  words: string,
  { x, y, kind = 'small', anchor = 'middle' }: TextPlace,
): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`
}

export interface Arrow {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
  readonly isDashed?: boolean
}

export function arrow({ from, to, isDashed = false }: Arrow): string {
  const [x1, y1] = from
  const [x2, y2] = to
  const kind = isDashed ? 'line dash' : 'line'
  return `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" marker-end="url(#head)"/>`
}
