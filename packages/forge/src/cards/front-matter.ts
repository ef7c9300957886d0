/** The metadata at the top of a README.md, between two lines of three dashes. */

export interface FrontMatter {
  /** Line ends are line feeds. */
  readonly yaml: string
  /** How many lines of the file stand before it. */
  readonly linesBefore: number
  /** The rest of the file, as it is. */
  readonly body: string
}

/** In characters. */
export const longestYaml = 256 * 1024
/** Metadata and the two lines around it. Of a longer text no more is read. */
export const longestHead = longestYaml + 1024

const opening = /^\ufeff?(?:[^\S\r\n]*(?:\r\n|\r|\n))*---[^\S\r\n]*(?:\r\n|\r|\n)/
const closing = /(?<=[\r\n])---[^\S\r\n]*(?:\r\n|\r|\n|$)/g

/** Undefined when the text does not begin with such a block. Reads no further than the end of the block. */
export function findFrontMatter(text: string): FrontMatter | undefined {
  const [before] = opening.exec(text) ?? []
  if (before === undefined) return undefined
  closing.lastIndex = before.length
  const end = closing.exec(text)
  if (end === null) return undefined
  const inside = withLineFeeds(text.slice(before.length, end.index))
  return {
    yaml: inside.replace(/\n$/, ''),
    linesBefore: withLineFeeds(before).split('\n').length - 1,
    body: text.slice(end.index + end[0].length),
  }
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
