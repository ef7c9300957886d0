/** Whether the master key is there, and opens every signing key. */

import { findMasterKey, openEveryKey, storedKeys } from '@latchkey/hub/management'
import { type Check, everyDatabase } from './basis/check.ts'
import { good, skipped } from './basis/finding.ts'
import { withStore } from './basis/with-store.ts'

export const masterKey: Check = {
  name: 'master key',
  databases: everyDatabase,
  look(installation) {
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
