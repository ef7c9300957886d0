/** The database of the catalogue, with all that the environment says of it: the storage runs in an environment of its own. */

import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { completeUrl } from '@latchkey/service/postgres/complete-url'
import { wrongUsage } from '../output/stop.ts'
import type { Configuration } from './read-configuration.ts'

/** Nothing where the catalogue is a file. */
export function storageDatabase({ values, called }: Configuration): {
  readonly database?: Secret<'database-url'>
} {
  const { storageDatabase: url } = values
  if (typeof url === 'string') return {}
  try {
    return { database: new Secret('database-url', completeUrl(url.reveal())) }
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    throw wrongUsage(`${called.get('storageDatabase')}: ${error.message}`)
  }
}
