/** Figures as a table for people and as JSON for machines. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The value at a share of sorted ones: 0.5 is the median. */
export function at(sorted: readonly number[], share: number, digits = 2): string {
  return (
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  ).toFixed(digits)
}

export function writeResults(name: string, table: readonly object[]): void {
  console.table(table)
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(table, null, 2)}\n`)
}
