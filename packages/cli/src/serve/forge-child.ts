/** The process of a forge. */

import { forgeKind } from './companions.ts'
import { forgeProtocol } from './forge-messages.ts'
import { serveCompanion } from './serve-companion.ts'
import { startLinkedForge } from './start-linked-forge.ts'

serveCompanion({ kind: forgeKind, protocol: forgeProtocol, start: startLinkedForge })
