/** The data directory of a storage, or of a forge, that runs alone. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isHubData } from '@latchkey/hub/data-directory'
import { prepareDataDirectory } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import { isKeyFileThere } from '@latchkey/service/machine/files'
import { embeddedRootKeyName, rootKeyName } from '@latchkey/storage/root-key'

/** Whether a storage has run alone on this data directory. */
export function isOwnData(data: string): boolean {
  return isKeyFileThere(join(data, rootKeyName))
}

/** Makes it where it is missing. */
export function prepareOwnData(data: string): void {
  if (isHubData(data) || existsSync(join(data, embeddedRootKeyName))) {
    throw new CannotStart(
      `the data directory ${data} holds the data of a hub, whose storage "latchkey serve" runs. Choose another with --data.`,
    )
  }
  prepareDataDirectory(data, { create: true, missing: '', ownFiles: [rootKeyName] })
}

/** The same for a forge. */
export function prepareForgeData(data: string): void {
  if (isHubData(data)) {
    throw new CannotStart(
      `the data directory ${data} holds the data of a hub, whose forge "latchkey serve --forge" runs. Choose another with --data.`,
    )
  }
  prepareDataDirectory(data, { create: true, missing: '', ownFiles: ['repositories'] })
}
