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
/** A head that was cut off and closed by another line of dashes is still read. */
const lastLineStart = longestHead + 1

/** Undefined when the text does not begin with such a block. Takes each line once, and no line that begins beyond the bound. */
export function findFrontMatter(text: string): FrontMatter | undefined {
  let linesBefore = 0
  let start: number | undefined
  for (const line of linesOf(text)) {
    if (start === undefined) {
      linesBefore += 1
      if (isDashes(line.text) && line.isEnded) start = line.next
      else if (line.text.trim() !== '') return undefined
    } else if (isDashes(line.text)) {
      const inside = text.slice(start, line.start).replace(/\r\n?/g, '\n')
      const yaml = inside.endsWith('\n') ? inside.slice(0, -1) : inside
      return { yaml, linesBefore, body: text.slice(line.next) }
    }
  }
  return undefined
}

interface Line {
  /** Without its end. */
  readonly text: string
  readonly start: number
  /** Where the next line starts. */
  readonly next: number
  /** The last line may have no end. */
  readonly isEnded: boolean
}

function* linesOf(text: string): Generator<Line> {
  const lineEnd = /\r\n?|\n/g
  let start = text.startsWith('\ufeff') ? 1 : 0
  while (start < text.length && start <= lastLineStart) {
    lineEnd.lastIndex = start
    const end = lineEnd.exec(text)
    const next = end === null ? text.length : lineEnd.lastIndex
    yield { text: text.slice(start, end?.index), start, next, isEnded: end !== null }
    start = next
  }
}

/** Blanks may follow the dashes. */
function isDashes(line: string): boolean {
  return line.startsWith('---') && line.slice(3).trim() === ''
}
