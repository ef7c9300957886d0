/** Where the content lies that an upkeep command works on. */

import { storeSettings } from '../configuration/hub-settings.ts'
import { ownDataDirectory } from '../configuration/linked-storage-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'

/** A hub that is named in the command means a storage that runs alone, with the same default as its `serve`. */
export function upkeepData({ values, called }: Configuration): string {
  const isAlone = values.data === undefined && called.get('hub') === '--hub'
  return isAlone ? ownDataDirectory : storeSettings(values).data
}
