/** Whether the database of the embedded storage opens, and is one that this program can work with. */

import { existsSync } from 'node:fs'
import {
  type Check,
  type Finding,
  findingOfSchema,
  findingsOfFile,
  findingsOfRights,
  findingsOfServer,
  skippedFinding,
  wrongByError,
  wrongFinding,
} from '@latchkey/service/checks'
import {
  catalogFile,
  hasCatalog,
  inspectCatalog,
  restoringCatalogFile,
} from '../catalog/catalog-database.ts'
import type { StorageInstallation } from './installation.ts'

export const catalogue: Check<StorageInstallation> = {
  name: 'catalogue',
  async run({ storage, catalogue }) {
    if (storage === undefined) return []
    return catalogue === undefined ? inFile(storage.data) : inPostgres(catalogue)
  },
}

function inFile(data: string): readonly Finding[] {
  const draft = restoringCatalogFile(data)
  if (existsSync(draft)) {
    return [
      wrongFinding(
        `${draft} is there: a restore of the content was cut off, or is still running`,
        'Wait for it to end; or remove what it has left, and run "latchkey restore" again.',
      ),
    ]
  }
  const file = catalogFile(data)
  if (!hasCatalog(data))
    return [skippedFinding(`there is no ${file} yet: the first start makes it`)]
  const inspected = inspectCatalog(data)
  try {
    return findingsOfFile(file, inspected)
  } finally {
    inspected.close()
  }
}

async function inPostgres(
  ask: NonNullable<StorageInstallation['catalogue']>,
): Promise<readonly Finding[]> {
  const answer = await ask()
  if (answer.kind === 'away') return [wrongByError(answer.error)]
  return [
    ...findingsOfServer(answer),
    findingOfSchema(answer, 'storages'),
    ...(await findingsOfRights(answer, 'storages')),
  ]
}
