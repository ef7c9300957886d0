/**
 * The part of YAML that metadata is written in: mappings, lists and texts in all their forms. Anchors, aliases, tags and
 * several documents are refused, so that no text means more than it is long.
 */

import { readBlockText } from './yaml-block-text.ts'
import { readFlow } from './yaml-flow.ts'
import { YamlFlaw, YamlLines } from './yaml-lines.ts'
import { readQuoted } from './yaml-quoted.ts'
import { resolvePlain, type Scalar } from './yaml-scalar.ts'
import { putMember, refuseIndicator, type Yaml } from './yaml-value.ts'

export const longestYaml = 256 * 1024

/** The text has line feeds alone for line ends. */
export function parseYaml(text: string): { readonly value: Yaml } | YamlFlaw {
  if (text.length > longestYaml) {
    return new YamlFlaw(1, `begins metadata of more than ${longestYaml} characters`)
  }
  const lines = new YamlLines(text)
  try {
    const value = readBlock(lines, -1)
    lines.skipEmpty()
    if (!lines.isAtEnd) lines.fail('does not belong to the lines above. Look at its indentation')
    return { value }
  } catch (error) {
    if (error instanceof YamlFlaw) return error
    throw error
  }
}

/** What is indented further than its parent; null where nothing is. */
function readBlock(lines: YamlLines, parentIndent: number): Yaml {
  lines.skipEmpty()
  if (lines.isAtEnd || lines.column <= parentIndent) return null
  return lines.inside(() => {
    if (isItem(lines)) return readList(lines, lines.column)
    if (keyEnd(lines) !== undefined) return readMap(lines, lines.column)
    return readInline(lines, parentIndent)
  })
}

function readList(lines: YamlLines, indent: number): Yaml {
  const items: Yaml[] = []
  while (isAt(lines, indent) && isItem(lines)) {
    lines.column += 1
    items.push(readBlock(lines, indent))
  }
  return items
}

function readMap(lines: YamlLines, indent: number): Yaml {
  const members = new Map<string, Yaml>()
  while (isAt(lines, indent)) {
    const key = readKey(lines)
    putMember(lines, members, key, readValue(lines, indent))
  }
  return Object.fromEntries(members)
}

/** Whether one more entry follows in this column. */
function isAt(lines: YamlLines, indent: number): boolean {
  lines.skipEmpty()
  if (!lines.isAtEnd && lines.column > indent) lines.fail('is indented too far')
  return !lines.isAtEnd && lines.column === indent
}

function isItem(lines: YamlLines): boolean {
  return /^-(?:[ \t]|$)/.test(lines.rest.slice(0, 2))
}

/** The column of the colon behind a key that begins here. */
function keyEnd({ line, column }: YamlLines): number | undefined {
  const first = line[column] ?? ''
  if ('[{'.includes(first)) return undefined
  const start = '"\''.includes(first) ? quoteEnd(line, column, first) : column
  const end = /:(?=[ \t]|$)|[ \t]#/g
  end.lastIndex = start
  const found = end.exec(line)
  const isKey =
    found?.[0] === ':' && (start === column || line.slice(start, found.index).trim() === '')
  return isKey ? found.index : undefined
}

/** Behind the closing quote, or the end of the line. */
function quoteEnd(line: string, column: number, quote: string): number {
  for (let at = column + 1; at < line.length; at += 1) {
    if (line[at] === '\\' && quote === '"') at += 1
    else if (line[at] === quote && quote === "'" && line[at + 1] === quote) at += 1
    else if (line[at] === quote) return at + 1
  }
  return line.length
}

function readKey(lines: YamlLines): Scalar {
  const end = keyEnd(lines)
  if (end === undefined) lines.fail('is no member: it lacks a colon with a space behind it')
  const text = lines.line.slice(lines.column, end).trimEnd()
  refuseIndicator(lines, text)
  if (text === '') lines.fail('has no key before its colon')
  const key = /^["']/.test(text) ? readQuoted(lines, lines.column) : resolvePlain(text)
  lines.column = end + 1
  return key
}

/** Behind the colon. The items of a list may stand in the column of its key. */
function readValue(lines: YamlLines, indent: number): Yaml {
  if (lines.skipBlanks()) {
    if (isItem(lines)) lines.fail('begins a list behind a key. Begin it in the next line')
    return lines.inside(() => readInline(lines, indent))
  }
  lines.next()
  lines.skipEmpty()
  const isListBelow = !lines.isAtEnd && lines.column === indent && isItem(lines)
  return isListBelow ? lines.inside(() => readList(lines, indent)) : readBlock(lines, indent)
}

/** A value that begins at this place. */
function readInline(lines: YamlLines, parentIndent: number): Yaml {
  switch (lines.line[lines.column]) {
    case '|':
    case '>':
      return readBlockText(lines, parentIndent)
    case '"':
    case "'":
      return atLineEnd(lines, readQuoted(lines, parentIndent))
    case '[':
    case '{':
      return atLineEnd(lines, readFlow(lines, parentIndent))
    default:
      refuseIndicator(lines, lines.rest)
      return resolvePlain(readPlain(lines, parentIndent))
  }
}

function atLineEnd(lines: YamlLines, value: Yaml): Yaml {
  if (/^[^ \t]/.test(lines.rest) || lines.skipBlanks()) {
    lines.fail('goes on behind the end of a value')
  }
  lines.next()
  return value
}

/** A text without quotes; lines that are indented further belong to it. */
function readPlain(lines: YamlLines, parentIndent: number): string {
  const read: string[] = []
  for (let empty = 0; !lines.isAtEnd; lines.next()) {
    const hasText = lines.skipBlanks()
    if (!hasText && lines.column === lines.line.length) {
      empty += 1
      continue
    }
    if (!hasText || (read.length > 0 && lines.column <= parentIndent)) break
    const words = wordsOf(lines.rest)
    if (/:(?:[ \t]|$)/.test(words)) lines.fail('has a colon in a text. Put the text in quotes')
    if (read.length > 0) read.push('\n'.repeat(empty) || ' ')
    read.push(words.trimEnd())
    empty = 0
    // A comment ends the text.
    if (words.length < lines.rest.length) {
      lines.next()
      break
    }
  }
  return read.join('')
}

/** Up to a comment. */
function wordsOf(text: string): string {
  const comment = text.search(/[ \t]#/)
  return comment === -1 ? text : text.slice(0, comment)
}
