/** What a server must be like, and whether a pooler stands before it. */

import type { Client } from 'pg'
import { ask } from './ask.ts'
import { OtherServer } from './own-errors.ts'

export const oldestServer = 14

const question = `SELECT pg_backend_pid() AS process,
  current_setting('server_version_num') AS version,
  current_setting('server_encoding') AS stored,
  current_setting('client_encoding') AS sent`

export interface ServerFacts {
  /** Then a connection's session is not ours, and prepared statements may be another's. */
  readonly isPooled: boolean
}

export async function checkServer(client: Client, deadlineMs: number): Promise<ServerFacts> {
  const { rows } = await ask(client, question, deadlineMs)
  const { process, version, stored, sent } = rows[0] ?? {}
  refuseOld(Number(version))
  refuseEncoding([stored, sent])
  // A pooler invents the process id that it tells a client.
  const isPooled = (client as { processID?: unknown }).processID !== process
  if (!isPooled) await ask(client, withoutCompiling, deadlineMs)
  return { isPooled }
}

/** By its own estimate of new tables, a server compiles a statement of a millisecond for 200 of them, at every execution. */
const withoutCompiling = 'SET jit = off'

function refuseOld(version: number): void {
  const major = Math.floor(version / 10_000)
  if (major >= oldestServer) return
  throw new OtherServer(
    `it is PostgreSQL ${major}, and Latchkey needs ${oldestServer} or newer. Upgrade it.`,
  )
}

function refuseEncoding(encodings: readonly unknown[]): void {
  const other = encodings.find((encoding) => encoding !== 'UTF8')
  if (other === undefined) return
  throw new OtherServer(
    `its encoding is ${other}. Create the database with ENCODING 'UTF8', and remove the setting client_encoding.`,
  )
}
