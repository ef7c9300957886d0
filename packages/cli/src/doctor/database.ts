/** Whether the database of the hub opens, and is one that this program can work with. */

import { existsSync } from 'node:fs'
import { inspectStore, refuseDemoData, refuseLostStore } from '@latchkey/hub/management'
import type { Check } from './basis/check.ts'
import { skipped } from './basis/finding.ts'
import { findingsOfFile } from './basis/inspect-file.ts'

export const database: Check = {
  name: 'database',
  databases: ['sqlite'],
  async look({ settings: { data, demo }, file }) {
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
