/** Figures of earlier runs, from the files that those have written. */

import { existsSync, readFileSync } from 'node:fs'
import type { PartFigure } from './table.ts'
import { resultsFile } from './write-results.ts'

/** What `npm run bench` and `npm run bench:growth` write. */
const usual = ['latest', 'growth-slope']

/** Of these files; or of the usual ones, as far as they are there. */
export function readResults(files: readonly string[]): readonly PartFigure[] {
  const chosen =
    files.length > 0 ? files : usual.map((name) => resultsFile(name)).filter(existsSync)
  if (chosen.length === 0) throw new Error('there are no results yet; npm run bench writes them')
  return chosen.flatMap(figuresIn)
}

function figuresIn(file: string): readonly PartFigure[] {
  const { figures } = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(figures)) throw new Error(`${file} has no figures of a benchmark`)
  return figures
}
