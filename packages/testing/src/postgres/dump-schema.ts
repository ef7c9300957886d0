/** A copy of one schema as operators make it: by `pg_dump`, for `runPsql` to restore. */

import { runUnprivileged } from '../machine/run-unprivileged.ts'
import type { Address } from './cluster.ts'
import { postgresProgram, superuser } from './template.ts'

export interface Dumped {
  readonly database: string
  readonly schema: string
  /** Whether the script first drops what is there. */
  readonly isClean?: boolean
}

export function dumpSchema(
  { socketFolder, port }: Address,
  { database, schema, isClean = false }: Dumped,
): Promise<string> {
  const target = ['--host', socketFolder, '--port', `${port}`, '--username', superuser]
  const what = [`--schema=${schema}`, ...(isClean ? ['--clean'] : []), database]
  return runUnprivileged(postgresProgram('pg_dump'), [...target, ...what], { cwd: '/' })
}
