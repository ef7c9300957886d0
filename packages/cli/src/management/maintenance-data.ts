import { existsSync } from 'node:fs'
import { hasContent as hasContentIn } from '@latchkey/storage/maintenance'
import { storeSettings } from '../configuration/hub-settings.ts'
import { ownDataDirectory } from '../configuration/linked-storage-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'

/** Where no directory is named: a storage that runs alone is meant by naming its hub, or by being all that there is. */
export function maintenanceData(configuration: Configuration): string {
  const { values, called } = configuration
  const { data } = storeSettings(values)
  if (values.data !== undefined) return data
  const isAlone =
    called.get('hub') === '--hub' ||
    (!existsSync(data) && hasContent(configuration, ownDataDirectory))
  return isAlone ? ownDataDirectory : data
}

/** Whether a storage has run on this data directory. */
export function hasContent({ values }: Configuration, data: string): boolean {
  return hasContentIn(data, {
    isCatalogInFile: typeof values.storageDatabase === 'string',
    isInBucket: values.objects !== undefined,
  })
}
