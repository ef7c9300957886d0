/** An empty data directory that clusters are copied from: `initdb` takes ten times as long as the copy. */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handOver, runUnprivileged } from '../machine/run-unprivileged.ts'
import { findPostgres } from '../tools/postgres-programs.ts'

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
  writeFileSync(passwordFile, verifierOf(password), { mode: 0o600 })
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

/**
 * What the server keeps of a password (RFC 5802 §3). Its own verifier has 4096 iterations, which every login of a client
 * repeats: milliseconds, for thousands of logins of a run.
 */
export function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const iterations = 1
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const server = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${server}`
}

export function postgresProgram(name: string): string {
  const folder = findPostgres()
  if (folder === undefined) throw new Error('PostgreSQL is not installed')
  return join(folder, name)
}
