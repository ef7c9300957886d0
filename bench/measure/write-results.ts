/** Figures as JSON for machines. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = join(import.meta.dirname, '../results')

export function resultsFile(name: string, under = folder): string {
  return join(under, `${name}.json`)
}

/** Gives the file, as seen from here. */
export function writeResults(name: string, results: object, under = folder): string {
  mkdirSync(under, { recursive: true })
  const file = resultsFile(name, under)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return relative(process.cwd(), file)
}
