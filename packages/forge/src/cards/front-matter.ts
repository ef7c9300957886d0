/** The metadata at the top of a README.md, between two lines of three dashes. */

export interface FrontMatter {
  readonly yaml: string
  /** How many lines of the file stand before it. */
  readonly linesBefore: number
  /** What follows. */
  readonly body: string
}

/** Undefined when the text does not begin with such a block. Line ends become line feeds. */
export function findFrontMatter(text: string): FrontMatter | undefined {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  if (lines[first]?.trimEnd() !== '---') return undefined
  const last = lines.findIndex((line, at) => at > first && line.trimEnd() === '---')
  if (last === -1) return undefined
  return {
    yaml: lines.slice(first + 1, last).join('\n'),
    linesBefore: first + 1,
    body: lines.slice(last + 1).join('\n'),
  }
}
