/** Whether the database of the embedded storage opens, and is one that this program can work with. */

import { existsSync } from 'node:fs'
import {
  catalogFile,
  hasCatalog,
  inspectCatalog,
  restoringCatalogFile,
} from '@latchkey/storage/upkeep'
import { type Check, everyDatabase } from './basis/check.ts'
import { skipped, wrong } from './basis/finding.ts'
import { findingsOfFile } from './basis/inspect-file.ts'

export const catalogue: Check = {
  name: 'catalogue',
  databases: everyDatabase,
  async look({ settings: { data }, storage }) {
    if (storage === undefined) return []
    const draft = restoringCatalogFile(data)
    if (existsSync(draft)) {
      return [
        wrong(
          `${draft} is there: a restore of the content was cut off, or is still running`,
          'Wait for it to end; or remove what it has left, and run "latchkey restore" again.',
        ),
      ]
    }
    const file = catalogFile(data)
    if (!hasCatalog(data)) return [skipped(`there is no ${file} yet: the first start makes it`)]
    const inspected = inspectCatalog(data)
    try {
      return findingsOfFile(file, inspected)
    } finally {
      inspected.close()
    }
  },
}
