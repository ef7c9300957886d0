/** The address of a database: of a file, or of a PostgreSQL. */

import { Secret } from '@latchkey/protocol'
import type { Kind } from './kind.ts'

/** `sqlite:FILE`; the address of a PostgreSQL may hold a password. */
export type DatabaseAddress = string | Secret<'database-url'>

/**
 * Another address with a @ / ? or : has a password or a name that was not encoded, so no message
 * shows it.
 */
const whole =
  /^postgres(?:ql)?:\/\/(?:[^@/?]*@)?(?:\[[^\]]*\]|[^@/?:]*)(?::\d*)?(?:\/[^@?]*)?(?:\?(?:\w+=[^&]*(?:&\w+=[^&]*)*)?)?$/
const password = /^[a-z]+:\/\/[^@/?]*:[^@/?]*@|[?&]password=/i
const anyPassword = /^[a-z]+:\/\/.*:.*@|[?&]password=/i

export const database: Kind<DatabaseAddress> = {
  placeholder: 'URL',
  allowed:
    'sqlite:FILE or postgres://USER@HOST:PORT/DATABASE; the characters @ / ? : % of a password are written as %40 %2F %3F %3A %25',
  fromText: (text) => text,
  read(value) {
    if (typeof value !== 'string') return undefined
    if (/^sqlite:[^\0]+$/.test(value)) return value
    return whole.test(value) ? new Secret('database-url', value) : undefined
  },
  holdsSecret,
  secretWays: secretWays('database', 'LATCHKEY_DATABASE'),
}

/** The server itself, behind a pooler. */
export const directDatabase: Kind<DatabaseAddress> = {
  ...database,
  allowed: database.allowed.replace('sqlite:FILE or ', ''),
  read(value) {
    const address = database.read(value)
    return typeof address === 'string' ? undefined : address
  },
  secretWays: secretWays('directDatabase', 'LATCHKEY_DIRECT_DATABASE'),
}

/** The only file that a catalogue can be in, below the data directory. */
const catalogueInFile = 'sqlite:storage.db'

export type CatalogueAddress = typeof catalogueInFile | Secret<'database-url'>

/** The database of the storage's catalogue. */
export const catalogueDatabase: Kind<CatalogueAddress> = {
  ...database,
  allowed: database.allowed.replace('sqlite:FILE', catalogueInFile),
  read(value) {
    if (value === catalogueInFile) return value
    const address = database.read(value)
    return typeof address === 'string' ? undefined : address
  },
  secretWays: secretWays('storageDatabase', 'LATCHKEY_STORAGE_DATABASE'),
}

function secretWays(key: string, variable: string): string {
  return `leave the password out and set PGPASSWORD or use ~/.pgpass; or set the whole address as ${variable}, in the file that ${variable}_FILE names, or as "${key}" in a configuration file for its owner only`
}

function holdsSecret(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return (whole.test(value) ? password : anyPassword).test(value)
}
