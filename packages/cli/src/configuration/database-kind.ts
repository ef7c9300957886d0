/** The address of a database: of a file, or of a PostgreSQL. */

import { Secret } from '@latchkey/protocol'
import type { Kind } from './kind.ts'

/** `sqlite:FILE`; the address of a PostgreSQL may hold a password. */
export type DatabaseAddress = string | Secret<'database-url'>

/** What else has a @ / ? or : is a password or a name that was not encoded, and shows in no message. */
const whole =
  /^postgres(?:ql)?:\/\/(?:[^@/?]*@)?(?:\[[^\]]*\]|[^@/?:]*)(?::\d*)?(?:\/[^@?]*)?(?:\?(?:\w+=[^&]*(?:&\w+=[^&]*)*)?)?$/
const password = /^[a-z]+:\/\/[^@/?]*:[^@/?]*@|[?&]password=/i
const anyPassword = /^[a-z]+:\/\/.*:.*@|[?&]password=/i

export const database: Kind<DatabaseAddress> = {
  placeholder: 'URL',
  allowed:
    'sqlite:FILE or postgres://USER@HOST:PORT/DATABASE; the characters @ / ? : % of a password are written as %40 %2F %3F %3A %25',
  fromText: (text) => text,
  read(given) {
    if (typeof given !== 'string') return undefined
    if (/^sqlite:[^\0]+$/.test(given)) return given
    return whole.test(given) ? new Secret('database-url', given) : undefined
  },
  holdsSecret,
  secretWays:
    'leave the password out and give it as PGPASSWORD or in ~/.pgpass; or give the whole address as LATCHKEY_DATABASE, in the file that LATCHKEY_DATABASE_FILE names, or as "database" in a configuration file for its owner only',
}

function holdsSecret(given: unknown): boolean {
  if (typeof given !== 'string') return false
  return (whole.test(given) ? password : anyPassword).test(given)
}
