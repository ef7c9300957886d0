/** What the link needs from the hub it is part of. */

import type { Clock, HubTokenId, Refusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { JournalWatch } from '../journal/journal-watch.ts'
import type { TakeSlot } from '../journal/waiting-slots.ts'
import type { LinkCall } from '../operations/link-call.ts'
import type { Store } from '../stores/store.ts'
import type { Directory } from '../tables/directory.ts'
import type { IdentifyStorage, StorageCaller } from './identify-storage.ts'

export interface NumberReport {
  readonly number: number
  readonly caller: StorageCaller
  readonly requestId: string
}

export interface LinkPorts {
  readonly identify: IdentifyStorage
  readonly clientAddress: ClientAddress
  readonly directory: Directory
  readonly readBeside: Store['readBeside']
  /** Not the admin API's: long polls of administrators take no slot of a storage. */
  readonly watch: JournalWatch
  /** Questions of one storage that are answered at once; long polls are among them. */
  readonly takeSlot: TakeSlot
  /** The refusal when a storage raises too many epochs: each is an entry in the journal. */
  refuseEpochs(hubTokenId: HubTokenId, count: number): Refusal | undefined
  /** A storage knows the number from the hub: if the journal does not have it, entries were lost. */
  onKnownNumber(report: NumberReport): Promise<void>
  readonly clock: Clock
  /** The operating system's user, in whose name the embedded storage acts. */
  readonly user: string
  logLinkCall(call: LinkCall): void
}
