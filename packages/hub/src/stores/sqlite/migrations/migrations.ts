/** How a SQLite database file grows: migration n brings it from version n to n + 1. */

import { directory } from './0001-directory.ts'
import { storedContent } from './0002-stored-content.ts'
import { pastHolders } from './0003-past-holders.ts'
import { journal } from './0004-journal.ts'
import { logicalTime } from './0005-logical-time.ts'
import { storageTokens } from './0006-storage-tokens.ts'
import { cutOffs } from './0007-cut-offs.ts'
import { keyStates } from './0008-key-states.ts'
import { readFromIndexes } from './0009-read-from-indexes.ts'
import { publicRepositories } from './0010-public-repositories.ts'

export const migrations: readonly string[] = [
  directory,
  storedContent,
  pastHolders,
  journal,
  logicalTime,
  storageTokens,
  cutOffs,
  keyStates,
  readFromIndexes,
  publicRepositories,
]
