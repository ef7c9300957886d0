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
export const maxYamlLength = 64 * 1024
/** Metadata and the two lines around it. The forge reads no more of a longer text. */
export const maxHeadLength = maxYamlLength + 1024
/** A head that was cut off and closed by another line of dashes is still read. */
const lastLineStart = maxHeadLength + 1

/** From its last index. Neither has a repetition within a repetition: both take linear time. */
const opening = /---[^\S\r\n]*(?:\r\n?|\n)/y
const closing = /(?<=[\r\n])---[^\S\r\n]*(?:\r\n?|\n|$)/g

/** Undefined when the text does not begin with such a block, or the block ends beyond the bound. */
export function findFrontMatter(text: string): FrontMatter | undefined {
  const first = text.length - text.trimStart().length
  if (first > lastLineStart || !isLineStart(text, first)) return undefined
  opening.lastIndex = first
  if (!opening.test(text)) return undefined
  const start = opening.lastIndex
  closing.lastIndex = start
  const end = closing.exec(text)
  if (end === null || end.index > lastLineStart) return undefined
  const inside = withLineFeeds(text.slice(start, end.index))
  return {
    yaml: inside.endsWith('\n') ? inside.slice(0, -1) : inside,
    linesBefore: withLineFeeds(text.slice(0, start)).split('\n').length - 1,
    body: text.slice(closing.lastIndex),
  }
}

/** A byte order mark may stand before the first line. */
function isLineStart(text: string, at: number): boolean {
  return at === 0 || '\r\n'.includes(text[at - 1] ?? '') || (at === 1 && text[0] === '\ufeff')
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
