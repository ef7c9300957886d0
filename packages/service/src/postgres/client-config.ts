/** The settings of one connection, in the words of the driver. */

import type { ClientConfig } from 'pg'
import pg from 'pg'
import readPasswordFile from 'pgpass'
import { NoPassword } from './own-errors.ts'
import { type PostgresSettings, usualSocketFolder } from './settings.ts'
import { connectionOptions } from './tls-settings.ts'

type Parse = (text: string) => unknown

const parsers: Readonly<Record<number, Parse>> = {
  [pg.types.builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [pg.types.builtins.BYTEA]: bytes,
  [pg.types.builtins.INT8]: exactNumber,
  [pg.types.builtins.JSON]: (text) => text,
  [pg.types.builtins.JSONB]: (text) => text,
  [pg.types.builtins.NUMERIC]: Number,
}

/** Values of PostgreSQL as rows of SQLite have them: numbers for booleans, text for JSON. */
const typeParsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary'): Parse =>
    (format === 'binary' ? undefined : parsers[type]) ?? pg.types.getTypeParser(type, 'text'),
}

/** A number that JavaScript would round is an error rather than another number. */
function exactNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`the number ${text} is too large to be read exactly`)
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text')(text))
}

/** After so long without a word the system asks whether the other side still lives. */
const keepAliveMs = 10_000

/** Nothing here is a setting of the session: a pooler would refuse it, or give it to another client. */
export function clientConfig(settings: PostgresSettings, encrypted: boolean): ClientConfig {
  const { host, port, user, database, applicationName, connectTimeoutMs, tls } = settings
  return {
    ...{ host, port, user, database },
    password: () => findPassword(settings),
    ssl: encrypted ? connectionOptions(tls) : false,
    sslnegotiation: 'postgres',
    application_name: applicationName,
    client_encoding: 'utf8',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: typeParsers as NonNullable<ClientConfig['types']>,
  }
}

/** The driver asks for it when the server wants a password. */
async function findPassword(settings: PostgresSettings): Promise<string> {
  const password = settings.password?.reveal() ?? (await passwordInFile(settings))
  if (password === undefined) throw new NoPassword()
  return password
}

/** In the file that PGPASSFILE names, or in `~/.pgpass`. There the usual socket is called localhost, as for libpq. */
function passwordInFile({ host, ...login }: PostgresSettings): Promise<string | undefined> {
  const { port, database, user } = login
  const name = host === usualSocketFolder ? 'localhost' : host
  return new Promise((resolve) => readPasswordFile({ host: name, port, database, user }, resolve))
}
