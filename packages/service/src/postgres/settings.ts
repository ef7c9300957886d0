/** How a PostgreSQL server is reached: from an address and the environment, as libpq reads both. */

import { existsSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { type OptionTypes, Secret } from '@latchkey/protocol'
import { CannotStart } from '../machine/errors.ts'
import { splitUrl, type UrlParameter, urlParameters } from './connection-url.ts'
import { readTls, type TlsSettings, tlsTypes } from './tls-settings.ts'

export interface PostgresSettings {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password: Secret<'database-password'> | undefined
  readonly tls: TlsSettings
  readonly applicationName: string
  readonly connectTimeoutMs: number
}

/** In a file without a driver: hubs on SQLite read it too. */
export const postgresTypes: OptionTypes<PostgresSettings> = {
  ...{ host: 'string', port: 'number', user: 'string', database: 'string' },
  ...{ password: 'object', tls: tlsTypes },
  ...{ applicationName: 'string', connectTimeoutMs: 'number' },
}

export interface PostgresEnvironment {
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly home?: string
}

/** Where Debian and most other systems have the socket of their server. */
export const usualSocketFolder = '/var/run/postgresql'

const defaultConnectSeconds = 5

/** As libpq calls them. */
export const variables: Readonly<Record<UrlParameter, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
}

/** The address has precedence over the environment. A mistake is thrown as `CannotStart`, without the password. */
export function readPostgresSettings(
  url: string,
  { environment = process.env, home = homedir() }: PostgresEnvironment = {},
): PostgresSettings {
  const parts = splitUrl(url)
  const find = (name: UrlParameter) => parts[name] ?? (environment[variables[name]] || undefined)
  const host = find('host') ?? (existsSync(usualSocketFolder) ? usualSocketFolder : 'localhost')
  const user = find('user') ?? userInfo().username
  const password = find('password')
  return {
    host,
    port: wholeNumber('port', find('port') ?? '5432', 65_535),
    user,
    database: find('dbname') ?? user,
    password: password === undefined ? undefined : new Secret('database-password', password),
    tls: readTls(find, { host, home }),
    applicationName: find('application_name') ?? 'latchkey',
    connectTimeoutMs: connectTimeoutMs(find('connect_timeout')),
  }
}

/** The server and database in words for people. */
export function placeOf({ host, port, user, database }: PostgresSettings): string {
  const address = isSocket(host) ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`
  return `${address}, database ${database}, user ${user}`
}

function isSocket(host: string): boolean {
  return host.startsWith('/')
}

function connectTimeoutMs(text = `${defaultConnectSeconds}`): number {
  return wholeNumber('connect_timeout', text, 3600) * 1000
}

function wholeNumber(name: string, text: string, largest: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= largest) return number
  throw new CannotStart(
    `the address of the database has ${name}=${text}. Write a number from 1 to ${largest}.`,
  )
}

/**
 * An address that needs no environment, for a process or thread that has another one. Holds the password, if there is one
 * beside the address.
 */
export function completeUrl(
  url: string,
  { environment = process.env }: Pick<PostgresEnvironment, 'environment'> = {},
): string {
  const parts = splitUrl(url)
  const pairs = urlParameters.flatMap((name) => {
    const value = parts[name] ?? environment[variables[name]]
    return value ? [`${name}=${encodeURIComponent(value)}`] : []
  })
  return `postgres:///?${pairs.join('&')}`
}
