/** Whether the database of the hub opens, and is one that this program can work with. */

import { existsSync } from 'node:fs'
import { type Check, findingsOfFile, skipped } from '@latchkey/service/checks'
import { refuseDemoData } from '../data/demo-mark.ts'
import { refuseLostStore } from '../data/open-store.ts'
import { inspectStore } from '../stores/sqlite/inspect-store.ts'
import type { HubInstallation } from './installation.ts'

export const database: Check<HubInstallation> = {
  name: 'database',
  async run({ settings: { data, demo }, file, databaseKind }) {
    if (databaseKind !== 'sqlite') return []
    refuseLostStore(data, file)
    if (!existsSync(file)) return [skipped(`there is no ${file} yet: the first start makes it`)]
    const store = inspectStore(file)
    try {
      const findings = findingsOfFile(file, store)
      if (demo || findings.some(({ result }) => result !== 'good')) return findings
      await refuseDemoData({ read: (work) => work(store.tables) }, data)
      return findings
    } finally {
      store.close()
    }
  },
}
