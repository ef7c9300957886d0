/** What the checks look at: the settings as `latchkey serve` reads them, and what answers at their addresses. */

import type { HubSettings } from '@latchkey/hub'
import {
  type InspectedPostgres,
  inspectPostgres,
  openPartnerKeys,
  refuseLongAddresses,
  sqliteFile,
} from '@latchkey/hub/management'
import type { StorageSettings } from '@latchkey/storage'
import { type InspectedPostgresCatalog, inspectCatalogIn } from '@latchkey/storage/upkeep'
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
  readonly database: () => Promise<DatabaseAnswer<InspectedPostgres>>
  /** Of the catalogue in PostgreSQL, once for all checks; undefined where it is a file. */
  readonly catalogue: (() => Promise<DatabaseAnswer<InspectedPostgresCatalog>>) | undefined
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
  const { data, database } = settings
  const isSqlite = typeof database === 'string'
  const catalogueUrl = storage?.database
  const hub = once(() => askHub(settings, nowMs))
  const hubDatabase = once(() => {
    if (isSqlite) throw new Error('the database is a file')
    return askDatabase(() => inspectPostgres(database), nowMs)
  })
  const catalogue = once(() => {
    if (catalogueUrl === undefined) throw new Error('the catalogue is a file')
    return askDatabase(() => inspectCatalogIn(catalogueUrl), nowMs)
  })
  return {
    configuration,
    settings,
    storage,
    databaseKind: isSqlite ? 'sqlite' : 'postgres',
    file: isSqlite ? sqliteFile(data, database) : '',
    nowMs,
    hub: hub.ask,
    database: hubDatabase.ask,
    catalogue: catalogueUrl && catalogue.ask,
    async close() {
      for (const { asked } of [hubDatabase, catalogue]) {
        const found = await asked()?.catch(() => undefined)
        if (found?.kind === 'answers') await found.store.close()
      }
    },
  }
}

interface Once<Answer> {
  readonly ask: () => Promise<Answer>
  /** Undefined before the first question. */
  readonly asked: () => Promise<Answer> | undefined
}

function once<Answer>(ask: () => Promise<Answer>): Once<Answer> {
  let answer: Promise<Answer> | undefined
  return {
    ask() {
      answer ??= ask()
      return answer
    },
    asked: () => answer,
  }
}
