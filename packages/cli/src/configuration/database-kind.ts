/** The address of a database: of a file, or of a PostgreSQL. */

import { Secret } from '@latchkey/protocol'
import { carriesPassword, isPostgresUrl } from '@latchkey/service/postgres/connection-url'
import type { Kind } from './kind.ts'

/** `sqlite:FILE`; the address of a PostgreSQL may hold a password. */
export type DatabaseAddress = string | Secret<'database-url'>

/** A password whose characters are not escaped cuts the address at the wrong place, but is one all the same. */
const looksLikePassword = /^[a-z]+:\/\/[^@]*:[^@]*@|[?&]password=/i

export const database: Kind<DatabaseAddress> = {
  placeholder: 'URL',
  allowed:
    'sqlite:FILE or postgres://USER@HOST:PORT/DATABASE; the characters @ / ? : % of a password are written as %40 %2F %3F %3A %25',
  fromText: (text) => text,
  read(given) {
    if (typeof given !== 'string') return undefined
    if (/^sqlite:[^\0]+$/.test(given)) return given
    if (!isPostgresUrl(given) || holdsSecret(given) !== carriesPassword(given)) return undefined
    return new Secret('database-url', given)
  },
  holdsSecret,
  secretWays:
    'leave the password out and give it as PGPASSWORD or in ~/.pgpass; or give the whole address as LATCHKEY_DATABASE, in the file that LATCHKEY_DATABASE_FILE names, or as "database" in a configuration file for its owner only',
}

function holdsSecret(given: unknown): boolean {
  return typeof given === 'string' && looksLikePassword.test(given)
}
