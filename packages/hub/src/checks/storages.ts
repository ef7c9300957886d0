/** Whether the configuration has every storage on which repositories are recorded. */

import { type Check, goodFinding, wrongFinding } from '@latchkey/service/checks'
import { recordedStorages, storageAddresses } from '../minting/storage-names.ts'
import { type HubInstallation, withStore } from './with-store.ts'

export const storages: Check<HubInstallation> = {
  name: 'storages',
  run(installation) {
    const { settings } = installation
    // One storage needs no line of its own.
    const names = storageAddresses(settings)
    return withStore(installation, async (read) => {
      const missing = (await read(recordedStorages)).filter(({ storage }) => !names.has(storage))
      if (missing.length > 0) {
        return missing.map(({ storage, repositories }) =>
          wrongFinding(
            `${repositories} ${repositories === 1 ? 'repository is' : 'repositories are'} on the storage "${storage}", which these settings do not have`,
            'Add its name and casUrl to storages: until then the hub refuses their token requests.',
          ),
        )
      }
      return names.size === 1
        ? []
        : [goodFinding(`the hub sends clients to ${[...names.keys()].join(', ')}`)]
    })
  },
}
