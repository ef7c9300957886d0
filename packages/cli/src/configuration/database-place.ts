/** How the database is reached, from its address and the variables that PostgreSQL's own programs read. */

import type { HubSettings } from '@latchkey/hub'
import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { type PostgresSettings, readPostgresSettings } from '@latchkey/service/postgres/settings'
import { wrongUsage } from '../output/stop.ts'
import type { DatabaseAddress } from './database-kind.ts'

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
