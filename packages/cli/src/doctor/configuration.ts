/** Whether the settings mean what an operator wants; that they can be read is known when a check runs. */

import { type Check, good, warning } from '@latchkey/service/checks'
import { warningsAbout } from '../configuration/hub-settings.ts'
import { warningsAboutStorage, warningsWithoutStorage } from '../configuration/storage-settings.ts'
import type { Installation } from './basis/installation.ts'

export const configuration: Check<Installation> = {
  name: 'configuration',
  async run({ configuration, settings, storage }) {
    const warnings = [
      ...warningsAbout(settings),
      ...(storage === undefined
        ? warningsWithoutStorage(configuration)
        : warningsAboutStorage(storage)),
    ]
    const { publicUrl, casUrl } = settings
    const read = good(`tokens are issued by ${publicUrl}, for the storage at ${casUrl}`)
    return [
      read,
      ...warnings.map((line) => warning(line, todo)),
      ...configuration.warnings.map((line) => warning(line, shut)),
    ]
  },
}

const todo = 'Change the setting, unless this is meant so (docs/configuration.md).'
const shut =
  'Run chmod 600 on it, unless the folder is shut to other users or the only user here is the hub, as in a container.'
