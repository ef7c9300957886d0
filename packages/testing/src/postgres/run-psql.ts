/** Runs a script by `psql`, which has commands of its own and reads the rows of COPY. */

import { runUnprivileged } from '../machine/run-unprivileged.ts'
import { postgresProgram } from './template.ts'

/** What it printed: the rows, a line each, the columns between `|`. */
export async function runPsql(url: string, script: string): Promise<string> {
  const plain = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only']
  const args = [...plain, '--set', 'ON_ERROR_STOP=1', '--dbname', url]
  const said = await runUnprivileged(postgresProgram('psql'), args, { cwd: '/', input: script })
  return said.trimEnd()
}
