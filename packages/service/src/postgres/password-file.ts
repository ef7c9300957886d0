/** The password for a connection from a `.pgpass` file. */

import { readFile, stat } from 'node:fs/promises'

export interface Login {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** libpq: a file that others can read is not used. Undefined also where there is no such file. */
export async function passwordFromFile(file: string, login: Login): Promise<string | undefined> {
  try {
    const { mode } = await stat(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) return undefined
    return matchingPassword(await readFile(file, 'utf8'), login)
  } catch {
    return undefined
  }
}

function matchingPassword(text: string, login: Login): string | undefined {
  const host = login.host.startsWith('/') ? 'localhost' : login.host
  const wanted = [host, `${login.port}`, login.database, login.user]
  const entry = text
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#'))
    .map(fields)
    .find((found) => wanted.every((word, index) => isMatch(found[index], word, login, index)))
  return entry?.[4]
}

/** The folder of a socket may stand in the file too. */
function isMatch(found: string | undefined, word: string, { host }: Login, index: number): boolean {
  return found === '*' || found === word || (index === 0 && found === host)
}

/** Fields end with a colon; a backslash keeps the next character as it is. */
function fields(line: string): readonly string[] {
  const found = line.match(
    /^((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):(.*)$/,
  )
  return (found ?? []).slice(1).map((field) => field.replace(/\\(.)/g, '$1'))
}
