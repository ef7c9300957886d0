/** How the database is reached, from its address and the variables that PostgreSQL's own programs read. */

import type { HubSettings } from '@latchkey/hub'
import { CannotStart } from '@latchkey/service/cannot-start'
import { readPostgresSettings } from '@latchkey/service/postgres/settings'
import { wrongUsage } from '../output/stop.ts'
import type { DatabaseAddress } from './database-kind.ts'

export function databasePlace(address: DatabaseAddress): HubSettings['database'] {
  if (typeof address === 'string') return address
  try {
    return readPostgresSettings(address.reveal())
  } catch (error) {
    throw error instanceof CannotStart ? wrongUsage(error.message) : error
  }
}
