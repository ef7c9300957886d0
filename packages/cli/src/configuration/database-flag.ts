/** A flag that names a database beside the configured one. */

import type { HubSettings } from '@latchkey/hub'
import { database } from './database-kind.ts'
import { databasePlace } from './database-place.ts'
import { notAllowed, refusedAsFlag } from './given.ts'

/** Undefined where the flag is not given. */
export function databaseFlag(called: string, value: unknown): HubSettings['database'] | undefined {
  if (value === undefined) return undefined
  if (database.holdsSecret?.(value)) throw refusedAsFlag(called, database.secretWays ?? '')
  const address = database.read(value)
  if (address !== undefined) return databasePlace(address)
  throw notAllowed({ called, value, written: value, allowed: database.allowed })
}
