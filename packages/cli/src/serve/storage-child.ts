/** The process of a storage. */

import { storageKind } from './companions.ts'
import { serveCompanion } from './serve-companion.ts'
import { startLinkedStorage } from './start-linked-storage.ts'
import { storageProtocol } from './storage-messages.ts'

serveCompanion({ kind: storageKind, protocol: storageProtocol, start: startLinkedStorage })
