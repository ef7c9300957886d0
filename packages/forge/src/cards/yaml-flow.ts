/** Lists and mappings in brackets, which may go on over several lines. */

import type { YamlLines } from './yaml-lines.ts'
import { readQuoted } from './yaml-quoted.ts'
import { resolvePlain } from './yaml-scalar.ts'
import { putMember, refuseIndicator, type Yaml } from './yaml-value.ts'

/** Reads from the opening bracket on, up to behind its closing one. */
export function readFlow(lines: YamlLines, parentIndent: number): Yaml {
  const open = lines.line[lines.column]
  lines.column += 1
  return lines.inside(() =>
    open === '[' ? readList(lines, parentIndent) : readMap(lines, parentIndent),
  )
}

function readList(lines: YamlLines, parentIndent: number): Yaml {
  const items: Yaml[] = []
  while (peek(lines, parentIndent) !== ']') {
    const item = readItem(lines, parentIndent)
    items.push(takeColon(lines, parentIndent) ? readSingle(lines, parentIndent, item) : item)
    takeComma(lines, parentIndent, ']')
  }
  lines.column += 1
  return items
}

/** `[a: b]` is a list of one mapping. */
function readSingle(lines: YamlLines, parentIndent: number, key: Yaml): Yaml {
  const members = new Map<string, Yaml>()
  putMember(lines, members, key, readAfterColon(lines, parentIndent))
  return Object.fromEntries(members)
}

function readMap(lines: YamlLines, parentIndent: number): Yaml {
  const members = new Map<string, Yaml>()
  while (peek(lines, parentIndent) !== '}') {
    const key = readItem(lines, parentIndent)
    const hasValue = takeColon(lines, parentIndent)
    putMember(lines, members, key, hasValue ? readAfterColon(lines, parentIndent) : null)
    takeComma(lines, parentIndent, '}')
  }
  lines.column += 1
  return Object.fromEntries(members)
}

function readAfterColon(lines: YamlLines, parentIndent: number): Yaml {
  return /[,\]}]/.test(peek(lines, parentIndent)) ? null : readItem(lines, parentIndent)
}

function takeColon(lines: YamlLines, parentIndent: number): boolean {
  const isThere = peek(lines, parentIndent) === ':'
  if (isThere) lines.column += 1
  return isThere
}

/** A comma must be there, or the closing bracket, which is left. */
function takeComma(lines: YamlLines, parentIndent: number, close: string): void {
  const next = peek(lines, parentIndent)
  if (next === ',') lines.column += 1
  else if (next !== close) lines.fail(`lacks a comma or ${close}`)
}

function readItem(lines: YamlLines, parentIndent: number): Yaml {
  const first = peek(lines, parentIndent)
  if (first === '[' || first === '{') return readFlow(lines, parentIndent)
  return lines.inside(() => {
    if (first === '"' || first === "'") return readQuoted(lines, parentIndent)
    return resolvePlain(readWords(lines, parentIndent))
  })
}

/** A plain text; it may go on in the next line. */
function readWords(lines: YamlLines, parentIndent: number): string {
  refuseIndicator(lines, lines.rest)
  if (/^-(?:[ \t,[\]{}]|$)/.test(lines.rest)) lines.fail('has an item of a list in brackets')
  const words: string[] = []
  do {
    const end = endOfWords(lines)
    words.push(lines.line.slice(lines.column, end).trimEnd())
    lines.column = end
    // It ends where something else begins in its line.
  } while (!lines.skipBlanks() && !/[,[\]{}:#]/.test(peek(lines, parentIndent)))
  if (words[0] === '') lines.fail('has a comma, colon or bracket where a value must be')
  return words.join(' ')
}

function endOfWords({ line, column }: YamlLines): number {
  const end = /[,[\]{}]|:(?=[ \t,[\]{}]|$)|(?<=[ \t])#/g
  end.lastIndex = column
  return end.exec(line)?.index ?? line.length
}

/** The next letter that is neither space nor comment, wherever it is. */
function peek(lines: YamlLines, parentIndent: number): string {
  for (let isSame = true; ; isSame = false) {
    if (lines.skipBlanks()) {
      if (!isSame && lines.column <= parentIndent) lines.fail('must be indented further')
      return lines.line[lines.column] ?? ''
    }
    lines.next()
    if (lines.isAtEnd) lines.fail('ends before a bracket is closed')
  }
}
