/** One request to the forge, as the handler of its route sees it. */

import type { IncomingMessage } from 'node:http'
import type { AnyId, Clock, Refusal } from '@latchkey/protocol'
import type { XetHashes } from '../files/xet-hashes.ts'
import type { Git } from '../git/index.ts'
import type { HubPort, HubQuestions } from '../hub-port.ts'
import type { InTurn } from '../moving/in-turn.ts'
import type { Markers } from '../moving/markers.ts'
import type { ShowReadme } from '../readme/show-readme.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AskStorage } from '../storage/ask-storage.ts'
import type { Reply } from './reply.ts'

export interface ForgeParts {
  readonly git: Git
  readonly port: HubPort
  readonly markers: Markers
  readonly inTurn: InTurn
  readonly storage: AskStorage
  readonly seal: Seal
  readonly xetHashes: XetHashes
  readonly sessions: Sessions
  readonly showReadme: ShowReadme
  /** Never taken from a request. */
  readonly publicUrl: string
  readonly clock: Clock
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly requestId: AnyId
  readonly query: ReadonlyMap<string, readonly string[]>
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  readonly hub: HubQuestions
}

export type Handle<Address> = (
  exchange: Exchange,
  address: Address,
  parts: ForgeParts,
) => Promise<Reply | Refusal>
