/** Whether the database of the embedded storage opens, and is one that this program can work with. */

import { existsSync } from 'node:fs'
import {
  catalogFile,
  hasCatalog,
  inspectCatalog,
  restoringCatalogFile,
} from '@latchkey/storage/upkeep'
import { type Check, everyDatabase } from './basis/check.ts'
import { type Finding, skipped, wrong, wrongAsTold } from './basis/finding.ts'
import { findingsOfFile } from './basis/inspect-file.ts'
import type { Installation } from './basis/installation.ts'
import { findingsOfRights } from './postgres/rights.ts'
import { findingOfSchema } from './postgres/schema.ts'
import { findingsOfServer } from './postgres/server.ts'

export const catalogue: Check = {
  name: 'catalogue',
  databases: everyDatabase,
  async look(installation) {
    const { settings, storage, catalogue } = installation
    if (storage === undefined) return []
    return catalogue === undefined ? inFile(settings.data) : inPostgres(catalogue)
  },
}

function inFile(data: string): readonly Finding[] {
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
}

async function inPostgres(
  ask: NonNullable<Installation['catalogue']>,
): Promise<readonly Finding[]> {
  const answer = await ask()
  if (answer.kind === 'away') return [wrongAsTold(answer.error)]
  return [
    ...findingsOfServer(answer),
    findingOfSchema(answer, 'storages'),
    ...(await findingsOfRights(answer, 'storages')),
  ]
}
