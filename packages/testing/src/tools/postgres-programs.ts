/** Where PostgreSQL's programs are: Debian keeps those of a server out of PATH, in a folder for each version. */

import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram, isExecutable, isPathAlone } from './find-program.ts'

/** What a test cluster with a replica needs. */
const programs = ['initdb', 'pg_basebackup', 'pg_ctl', 'postgres', 'psql']

/** The folder of the newest version, or of the first one in PATH. */
export function findPostgres(): string | undefined {
  const installed = isPathAlone ? [] : globSync('/usr/lib/postgresql/*/bin')
  const newestFirst = installed.sort((one, other) => versionOf(other) - versionOf(one))
  const inPath = findProgram('postgres')
  const folders = inPath === undefined ? newestFirst : [...newestFirst, dirname(inPath)]
  return folders.find((folder) => programs.every((name) => isExecutable(join(folder, name))))
}

export function findPgbouncer(): string | undefined {
  return findProgram('pgbouncer')
}

/** Says aloud what is not tested where there is no PostgreSQL. `so` ends the sentence. */
export function isPostgresMissing(so: string): boolean {
  const isMissing = findPostgres() === undefined
  if (isMissing) console.warn(`SKIPPED: PostgreSQL is not installed, so ${so}`)
  return isMissing
}

/** The same for pgbouncer. */
export function isPoolerMissing(so: string): boolean {
  const isMissing = findPgbouncer() === undefined
  if (isMissing) console.warn(`SKIPPED: pgbouncer is not installed, so ${so}`)
  return isMissing
}

function versionOf(folder: string): number {
  return Number(folder.split('/').at(-2))
}
