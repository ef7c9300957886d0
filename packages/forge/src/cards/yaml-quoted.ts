/** Texts in quotes, which may go on over several lines. */

import type { YamlLines } from './yaml-lines.ts'

// biome-ignore format: a table is read by its columns
const escapes: Readonly<Record<string, string>> = {
  '0': '\0', a: '\x07', b: '\b', t: '\t', '\t': '\t', n: '\n', v: '\v', f: '\f', r: '\r', e: '\x1b',
  ' ': ' ', '"': '"', '/': '/', '\\': '\\', N: '\u0085', _: '\u00a0', L: '\u2028', P: '\u2029',
}

const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads from the quote on, up to behind its closing one. */
export function readQuoted(lines: YamlLines, parentIndent: number): string {
  const quote = lines.line[lines.column] ?? ''
  let text = ''
  lines.column += 1
  for (;;) {
    const end = endOfPart(lines, quote)
    const part = lines.line.slice(lines.column, end)
    lines.column = end + 1
    if (end < lines.line.length) return text + plainOf(lines, quote, part)
    // A backslash at the end of a line joins it to the next one without a space.
    const isJoined = quote === '"' && /(?:^|[^\\])(?:\\\\)*\\$/.test(part)
    text += plainOf(lines, quote, isJoined ? part.slice(0, -1) : part.trimEnd())
    text += '\n'.repeat(moveToText(lines, parentIndent)) || (isJoined ? '' : ' ')
  }
}

/** Where the closing quote is in this line, or the line's end. */
function endOfPart(lines: YamlLines, quote: string): number {
  const { line } = lines
  for (let at = lines.column; at < line.length; at += 1) {
    if (line[at] === '\\' && quote === '"') at += 1
    else if (line[at] === quote && quote === "'" && line[at + 1] === quote) at += 1
    else if (line[at] === quote) return at
  }
  return line.length
}

function plainOf(lines: YamlLines, quote: string, part: string): string {
  if (quote === "'") return part.replaceAll("''", "'")
  return part.replace(/\\(?:x[^"]{0,2}|u[^"]{0,4}|U[^"]{0,8}|.)?/gsu, (given) =>
    escapeOf(lines, given),
  )
}

/** Moves to the next line with text; how many lines without text are between. */
function moveToText(lines: YamlLines, parentIndent: number): number {
  for (let empty = 0; ; empty += 1) {
    lines.next()
    if (lines.isAtEnd) lines.fail('ends before a quote is closed')
    lines.skipBlanks()
    if (lines.column === lines.line.length) continue
    if (lines.column <= parentIndent) lines.fail('must be indented further, or lacks a quote')
    return empty
  }
}

function escapeOf(lines: YamlLines, given: string): string {
  const letter = given[1] ?? ''
  if (Object.hasOwn(escapes, letter)) return escapes[letter] ?? ''
  const length = Object.hasOwn(digits, letter) ? digits[letter] : undefined
  const hex = given.slice(2)
  const code = Number.parseInt(hex, 16)
  if (
    length === undefined ||
    hex.length !== length ||
    !/^[0-9a-fA-F]+$/.test(hex) ||
    code > 0x10ffff
  ) {
    lines.fail('has an unknown escape in double quotes')
  }
  return String.fromCodePoint(code)
}
