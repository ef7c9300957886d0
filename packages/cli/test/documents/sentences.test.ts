/** A command that stands in a sentence of the documents has words and options that the command knows. */

import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { program } from '../../src/program.ts'
import { pages, textOf } from './commands.ts'

const shown = pages.flatMap((page) =>
  Array.from(textOf(page).matchAll(/`((?:npx )?latchkey [^`]+)`/g), ([, command = '']) => ({
    page,
    command: command.replaceAll(/\s+/g, ' '),
  })),
)

/** What is wrong with it; undefined where nothing is. */
function mistakeIn(command: string, latchkey: Command): string | undefined {
  const words = command.replace(/^(?:npx )?latchkey /, '').split(' ')
  let at: Command = latchkey
  for (const word of words) {
    const next = at.commands.find((each) => each.name() === word)
    if (next !== undefined) at = next
    else if (at.commands.length > 0 && /^[a-z][a-z-]+$/.test(word)) return `no command ${word}`
  }
  const names = ['--help', '--version', ...at.options.flatMap(({ long }) => long ?? [])]
  return words
    .filter((word) => /^--[a-z]/.test(word))
    .map((word) => word.replace(/=.*/, ''))
    .find((word) => !names.includes(word))
}

test('every command in a sentence can be typed', async () => {
  const latchkey = await program()
  const wrong = shown.flatMap(({ page, command }) => {
    const mistake = mistakeIn(command, latchkey)
    return mistake === undefined ? [] : [`${page}: ${command}: ${mistake}`]
  })
  expect(shown.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})
