/** Figures as JSON for machines. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = join(import.meta.dirname, '../results')

/** Gives the file, as seen from here. */
export function writeResults(name: string, results: object): string {
  const file = join(folder, `${name}.json`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return relative(process.cwd(), file)
}
