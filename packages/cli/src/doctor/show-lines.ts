/** What was found, for people: a sign and a name, then the words, none of them beyond the width of a page. */

import { scrub } from '@latchkey/protocol'
import type { Result } from '@latchkey/service/checks'
import { escapeText } from '@latchkey/service/text/escape'
import type { Colours } from '../output/colours.ts'
import type { Line } from './run-checks.ts'

const pageWidth = 100

const signs: Readonly<Record<Result, string>> = {
  good: '✓',
  warning: '!',
  wrong: '✗',
  skipped: '–',
}

export function showLines(lines: readonly Line[], colours: Colours): string {
  const nameWidth = Math.max(...lines.map(({ check }) => check.length))
  return lines.map((line, index) => shown(line, lines[index - 1], nameWidth, colours)).join('')
}

/** The name stands before the first of its lines. */
function shown(
  { check, result, found, todo }: Line,
  above: Line | undefined,
  nameWidth: number,
  colours: Colours,
): string {
  const indent = nameWidth + 4
  const name = (above?.check === check ? '' : check).padEnd(nameWidth)
  const words = wrapped(found, pageWidth - indent)
  const advice = todo === undefined ? [] : wrapped(todo, pageWidth - indent - 2)
  const [first = '', ...rest] = [
    ...words,
    ...advice.map((line, index) => `${index === 0 ? '→' : ' '} ${line}`),
  ]
  const paint = painter(result, colours)
  return [
    `${paint(signs[result])} ${name}  ${first}`,
    ...rest.map((line) => ' '.repeat(indent) + line),
  ]
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function painter(result: Result, { green, yellow, red, dim }: Colours): (text: string) => string {
  return { good: green, warning: yellow, wrong: red, skipped: dim }[result]
}

/** At spaces; a word that is longer than a line, such as a path, stays whole so that it can be copied. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of escapeText(scrub(text)).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
