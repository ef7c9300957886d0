/** Every check there is, in the order of their lines. */

import { repositories } from '@latchkey/forge/checks'
import {
  database,
  clock as databaseClock,
  dataDirectory,
  durability,
  journal,
  knownServer,
  masterKey,
  notifications,
  rights,
  rollback,
  schema,
  server,
  signingKeys,
  staleness,
} from '@latchkey/hub/checks'
import type { Check } from '@latchkey/service/checks'
import { catalogue, following } from '@latchkey/storage/checks'
import type { Installation } from './basis/installation.ts'
import { clock } from './clock.ts'
import { configuration } from './configuration.ts'
import { disk } from './disk.ts'
import { hub } from './hub.ts'
import { linkedStorage } from './linked-storage.ts'
import { storage } from './storage.ts'

export const checks: readonly Check<Installation>[] = [
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
