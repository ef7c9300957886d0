/** What the checks look at: the settings as `latchkey serve` reads them, and what answers at their addresses. */

import type { HubSettings } from '@latchkey/hub'
import { openPartnerKeys, refuseLongAddresses, sqliteFile } from '@latchkey/hub/management'
import type { StorageSettings } from '@latchkey/storage'
import { hubSettings } from '../../configuration/hub-settings.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../../configuration/read-configuration.ts'
import type { Environment } from '../../configuration/read-environment.ts'
import { storageSettings } from '../../configuration/storage-settings.ts'
import { askDatabase, type DatabaseAnswer } from './ask-database.ts'
import { askHub, type HubAnswer } from './ask-hub.ts'

export interface Installation {
  readonly configuration: Configuration
  readonly settings: HubSettings
  /** Undefined where the hub runs without one. */
  readonly storage: StorageSettings | undefined
  readonly databaseKind: 'sqlite' | 'postgres'
  /** The file of an SQLite database. */
  readonly file: string
  /** By this machine's clock, in milliseconds since 1970. */
  readonly nowMs: () => number
  /** Asked once for all checks. */
  readonly hub: () => Promise<HubAnswer>
  /** Of a PostgreSQL, once for all checks. */
  readonly database: () => Promise<DatabaseAnswer>
  readonly close: () => Promise<void>
}

/** Throws what `latchkey serve` would end with. */
export function readInstallation(
  flags: Flags,
  environment: Environment,
  nowMs: () => number,
): Installation {
  const configuration = readConfiguration(flags, environment)
  const settings = hubSettings(configuration)
  const storage = storageSettings(configuration, settings)
  refuseLongAddresses(settings)
  const { partnerKeys } = settings.revoke
  if (partnerKeys !== undefined) openPartnerKeys(partnerKeys, nowMs)
  let answer: Promise<HubAnswer> | undefined
  let asked: Promise<DatabaseAnswer> | undefined
  const { data, database } = settings
  const isSqlite = typeof database === 'string'
  return {
    configuration,
    settings,
    storage,
    databaseKind: isSqlite ? 'sqlite' : 'postgres',
    file: isSqlite ? sqliteFile(data, database) : '',
    nowMs,
    hub() {
      answer ??= askHub(settings, nowMs)
      return answer
    },
    database() {
      if (isSqlite) throw new Error('the database is a file')
      asked ??= askDatabase(database, nowMs)
      return asked
    },
    async close() {
      const found = await asked?.catch(() => undefined)
      if (found?.kind === 'answers') await found.store.close()
    },
  }
}
