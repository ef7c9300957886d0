/** One thing about an installation that a person can ask: what every check has. */

import type { Finding } from './finding.ts'
import type { Installation } from './installation.ts'

export interface Check {
  /** The word at the beginning of its lines. */
  readonly name: string
  /** The kinds of database for which it has something to look at. */
  readonly databases: readonly Installation['databaseKind'][]
  /** Changes nothing. What it throws is told as wrong. */
  look(installation: Installation): Promise<readonly Finding[]>
}

export const everyDatabase: Check['databases'] = ['sqlite', 'postgres']
