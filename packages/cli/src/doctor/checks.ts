/** Every check there is, in the order of their lines. */

import type { Check } from './basis/check.ts'
import { catalogue } from './catalogue.ts'
import { clock } from './clock.ts'
import { configuration } from './configuration.ts'
import { dataDirectory } from './data-directory.ts'
import { database } from './database.ts'
import { disk } from './disk.ts'
import { following } from './following.ts'
import { hub } from './hub.ts'
import { journal } from './journal.ts'
import { linkedStorage } from './linked-storage.ts'
import { masterKey } from './master-key.ts'
import { signingKeys } from './signing-keys.ts'
import { storage } from './storage.ts'

export const checks: readonly Check[] = [
  configuration,
  dataDirectory,
  disk,
  database,
  masterKey,
  signingKeys,
  journal,
  hub,
  clock,
  storage,
  linkedStorage,
  catalogue,
  following,
]
