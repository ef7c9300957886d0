/** The commands that the documents show: every `sh` block of a page for operators and developers. */

import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root: string = resolve(import.meta.dirname, '../../../..')

export const pages: readonly string[] = globSync(
  ['README.md', 'docs/**/*.md', '{packages,clients}/*/README.md', 'examples/**/README.md'],
  { cwd: root },
).toSorted()

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** As they would be pasted; those in a list are indented. */
export function blocksOf(page: string): readonly string[] {
  const fenced = textOf(page).matchAll(/^( *)```sh\n(.*?)^\1```$/gms)
  return Array.from(fenced, ([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

/** Each on one line, however many it has there. */
export function commandsIn(block: string): readonly string[] {
  const lines = block.replaceAll(/ *\\\n */g, ' ').split('\n')
  return lines.filter((line) => line.trim() !== '')
}

export function languagesOf(page: string): readonly string[] {
  const fences = Array.from(textOf(page).matchAll(/^ *```(.*)$/gm), ([, word = '']) => word)
  return fences.filter((_, index) => index % 2 === 0)
}
