/** An empty data directory that clusters are copied from: `initdb` takes ten times as long as the copy. */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres } from '../tools/postgres-programs.ts'
import { handOver, runUnprivileged } from './run-unprivileged.ts'

export interface Template {
  /** The data directory. */
  readonly data: string
  /** Of the superuser, and of every role that a test makes. */
  readonly password: string
}

export const superuser = 'tester'

/** The folder belongs to the unprivileged user. */
export async function makeTemplate(folder: string): Promise<Template> {
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  const password = randomBytes(16).toString('hex')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  handOver(passwordFile)
  await runUnprivileged(
    postgresProgram('initdb'),
    [
      ...['--pgdata', data, '--username', superuser, '--pwfile', passwordFile],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
      // The socket is in a folder that no other user can enter.
      ...['--auth-local', 'trust', '--auth-host', 'scram-sha-256'],
    ],
    { cwd: folder },
  )
  return { data, password }
}

export function postgresProgram(name: string): string {
  const folder = findPostgres()
  if (folder === undefined) throw new Error('PostgreSQL is not installed')
  return join(folder, name)
}
