/** The words of SVG that the drawings of the benchmarks use: no scripts, no styles from elsewhere. */

export interface Drawing {
  readonly width: number
  readonly height: number
  /** Read aloud, and shown where a pointer rests. */
  readonly title: string
  readonly elements: readonly string[]
}

type Attributes = Readonly<Record<string, string | number>>

export function svgOf({ width, height, title, elements }: Drawing): string {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="11">`,
    `<title>${escaped(title)}</title>`,
    // A page in dark colours shows through an image without a ground.
    element('rect', { width, height, fill: '#ffffff' }),
    ...elements,
    '</svg>',
  ]
  return `${lines.join('\n')}\n`
}

/** `content` is SVG already. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const words = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(typeof value === 'number' ? numeral(value) : value)}"`,
  )
  return content === ''
    ? `<${name}${words.join('')}/>`
    : `<${name}${words.join('')}>${content}</${name}>`
}

export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escaped(words))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

export function escaped(words: string): string {
  return words.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}

/** A hundredth of a pixel is finer than any screen. */
function numeral(value: number): string {
  return String(Math.round(value * 100) / 100)
}
