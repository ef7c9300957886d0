/**
 * Lists the databases that a new version may change: that of the hub, and the catalogue of the
 * storage.
 */

import { hasStore, migrateStore, pendingMigrations, storeName } from '@latchkey/hub/management'
import type { MigrationResult } from '@latchkey/service/postgres'
import {
  catalogName,
  hasCatalog,
  migrateCatalog,
  pendingCatalogMigrations,
} from '@latchkey/storage/maintenance'
import type { PartName } from '../backup/parts.ts'
import { storageDatabase } from '../configuration/database-place.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { maintenanceData } from './maintenance-data.ts'
import { noCatalog } from './with-maintenance.ts'

interface MigratablePart {
  /** The schema, or the file. */
  readonly of: string
  readonly data: string
  /** The SQL; empty where there is nothing to do. */
  pending(): Promise<string>
  migrate(): Promise<MigrationResult>
}

export function* partsToMigrate(
  configuration: Configuration,
  only: PartName | undefined,
): Generator<MigratablePart> {
  if (only !== 'storage' && !isHubElsewhere(configuration, only)) yield hubPart(configuration)
  if (only !== 'hub' && hasStorage(configuration, only)) yield storagePart(configuration)
}

/** On the machine of a storage nobody has said where the hub's database is. */
function isHubElsewhere(configuration: Configuration, only: PartName | undefined): boolean {
  const { values, called } = configuration
  if (only === 'hub' || called.has('database') || hasStore(storeSettings(values))) return false
  return hasStorage(configuration, only)
}

function hasStorage(configuration: Configuration, only: PartName | undefined): boolean {
  const data = maintenanceData(configuration)
  if (typeof configuration.values.storageDatabase !== 'string' || hasCatalog(data)) return true
  if (only === 'storage') throw noCatalog(data)
  return false
}

function hubPart({ values }: Configuration): MigratablePart {
  const settings = storeSettings(values)
  return {
    of: storeName(settings),
    data: settings.data,
    pending: () => pendingMigrations(settings),
    migrate: () => migrateStore(settings),
  }
}

function storagePart(configuration: Configuration): MigratablePart {
  const settings = { data: maintenanceData(configuration), ...storageDatabase(configuration) }
  return {
    of: catalogName(settings),
    data: settings.data,
    pending: () => pendingCatalogMigrations(settings),
    migrate: () => migrateCatalog(settings),
  }
}
