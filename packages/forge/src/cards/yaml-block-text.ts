/** Texts behind `|` and `>`, as they are or with their lines joined. */

import type { YamlLines } from './yaml-lines.ts'

const header = /^([|>])(?:([1-9])([-+]?)|([-+]?)([1-9]?))(?:[ \t]+#.*|[ \t]*)$/

/** Reads from the header on. */
export function readBlockText(lines: YamlLines, parentIndent: number): string {
  const [, style, digit, chomp, chompFirst, digitLast] = header.exec(lines.rest) ?? []
  if (style === undefined) lines.fail('has something behind | or > that is not supported')
  lines.next()
  const body = bodyOf(lines, parentIndent, Number(digit ?? (digitLast || 0)))
  const end = body.findLastIndex((line) => line !== '') + 1
  const text = style === '|' ? body.slice(0, end).join('\n') : folded(body.slice(0, end))
  switch (chomp ?? chompFirst) {
    case '-':
      return text
    case '+':
      return text + '\n'.repeat(body.length - end + Number(end > 0))
    default:
      return end === 0 ? '' : `${text}\n`
  }
}

/** The lines without their indentation: the given one, or that of the first line with text. */
function bodyOf(lines: YamlLines, parentIndent: number, given: number): string[] {
  const body: string[] = []
  let indent = given === 0 ? undefined : Math.max(parentIndent, 0) + given
  for (; !lines.isAtEnd; lines.next()) {
    const { line } = lines
    const own = /[^ ]/.exec(line)?.index ?? line.length
    const isEmpty = own === line.length && (indent === undefined || own <= indent)
    if (!isEmpty && (own <= parentIndent || own < (indent ?? 0))) break
    if (!isEmpty) indent ??= own
    body.push(isEmpty ? '' : line.slice(indent))
  }
  return body
}

/** One line end becomes a space, several become one less. Lines that are indented further stay as they are. */
function folded(lines: readonly string[]): string {
  let text = ''
  let empty = 0
  let wasApart = false
  for (const [at, line] of lines.entries()) {
    if (line === '') {
      empty += 1
      continue
    }
    const isApart = /^[ \t]/.test(line)
    const isFirst = at === empty
    text += '\n'.repeat(empty + Number(!isFirst && (wasApart || isApart)))
    if (!isFirst && !wasApart && !isApart && empty === 0) text += ' '
    text += line
    wasApart = isApart
    empty = 0
  }
  return text
}
