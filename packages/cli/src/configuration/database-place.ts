import type { HubSettings } from '@latchkey/hub'
import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  completeUrl,
  type PostgresSettings,
  readPostgresSettings,
} from '@latchkey/service/postgres/settings'
import { wrongUsage } from '../output/stop.ts'
import type { DatabaseAddress } from './database-kind.ts'
import type { Configuration } from './read-configuration.ts'

export function databasePlace(address: DatabaseAddress): HubSettings['database'] {
  return typeof address === 'string' ? address : postgresAt(address)
}

export function directPlace(address: DatabaseAddress | undefined): HubSettings['directDatabase'] {
  return address instanceof Secret ? postgresAt(address) : undefined
}

function postgresAt(address: Secret<'database-url'>): PostgresSettings {
  try {
    return readPostgresSettings(address.reveal())
  } catch (error) {
    throw error instanceof CannotStart ? wrongUsage(error.message) : error
  }
}

/** Empty if the catalogue is a file. */
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
