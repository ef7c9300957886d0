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
import { clock as databaseClock } from './postgres/clock.ts'
import { durability } from './postgres/durability.ts'
import { knownServer } from './postgres/known-server.ts'
import { notifications } from './postgres/notifications.ts'
import { rights } from './postgres/rights.ts'
import { schema } from './postgres/schema.ts'
import { server } from './postgres/server.ts'
import { staleness } from './postgres/staleness.ts'
import { repositories } from './repositories.ts'
import { rollback } from './rollback.ts'
import { signingKeys } from './signing-keys.ts'
import { storage } from './storage.ts'

export const checks: readonly Check[] = [
  configuration,
  dataDirectory,
  disk,
  database,
  server,
  schema,
  rights,
  durability,
  notifications,
  knownServer,
  staleness,
  masterKey,
  signingKeys,
  journal,
  rollback,
  hub,
  clock,
  databaseClock,
  storage,
  linkedStorage,
  catalogue,
  following,
  repositories,
]
