/** Whether the master key is there, and opens every signing key. */

import { type Check, good, skipped } from '@latchkey/service/checks'
import { findMasterKey } from '../keys/find-master-key.ts'
import { openEveryKey } from '../keys/open-key.ts'
import { storedKeys } from '../keys/stored-keys.ts'
import type { HubInstallation } from './installation.ts'
import { withStore } from './with-store.ts'

export const masterKey: Check<HubInstallation> = {
  name: 'master key',
  run(installation) {
    const { data, masterKey: given } = installation.settings
    return withStore(installation, async (read) => {
      const rows = await read(storedKeys)
      // To look for a master key where it opens nothing would make one.
      if (rows.length === 0) return [skipped('nothing to open yet: the first start makes the keys')]
      const key = given ?? (await findMasterKey(data, rows))
      await openEveryKey(rows, key)
      const where = given === undefined ? 'the data directory' : 'the environment'
      return [good(`the one of ${where} opens each of the ${rows.length} signing keys`)]
    })
  },
}
