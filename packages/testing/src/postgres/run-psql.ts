/** Asks a database by its URL, as programs do. */

import { runUnprivileged } from '@latchkey/testing/postgres/run-unprivileged'
import { postgresProgram } from '@latchkey/testing/postgres/template'

export async function ask(url: string, question: string): Promise<string> {
  const plain = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only']
  const args = [...plain, '--set', 'ON_ERROR_STOP=1', '--dbname', url]
  const said = await runUnprivileged(postgresProgram('psql'), args, { cwd: '/', input: question })
  return said.trimEnd()
}
