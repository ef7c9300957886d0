/** Figures of earlier runs, from the files that those have written. */

import { existsSync, readFileSync } from 'node:fs'
import { noteOnLoad } from './other-load.ts'
import type { PartFigure } from './table.ts'
import { resultsFile } from './write-results.ts'

export interface Results {
  readonly figures: readonly PartFigure[]
  /** What whoever reads them has to know; empty for a quiet machine. */
  readonly note: string
}

/** What `npm run bench` and `npm run bench:growth` write. */
const usual = ['latest', 'growth-slope']

/** Of these files; or of the usual ones, as far as they are there. */
export function readResults(files: readonly string[]): Results {
  const chosen =
    files.length > 0 ? files : usual.map((name) => resultsFile(name)).filter(existsSync)
  if (chosen.length === 0) throw new Error('there are no results yet; npm run bench writes them')
  const all = chosen.map(resultsIn)
  return {
    figures: all.flatMap(({ figures }) => figures),
    note: all.map(({ note }) => note).find((note) => note !== '') ?? '',
  }
}

function resultsIn(file: string): Results {
  const { figures, machine } = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(figures)) throw new Error(`${file} has no figures of a benchmark`)
  return { figures, note: machine === undefined ? '' : noteOnLoad(machine) }
}
