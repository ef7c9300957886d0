/** One request to the forge, as the handler of its route sees it. */

import type { IncomingMessage } from 'node:http'
import type { CallerPort, CallerQuestions } from '@latchkey/admin-api/forge-port'
import type { AnyId, Clock, Refusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { Shares, TakeRoom } from '@latchkey/service/limits/shares'
import type { DiskReserve } from '@latchkey/service/machine/data-directory'
import type { InTurn } from '../commits/in-turn.ts'
import type { Markers } from '../commits/markers.ts'
import type { RepositoryRoom } from '../commits/repository-room.ts'
import type { SavedContent } from '../commits/saved-content.ts'
import type { Git } from '../git/index.ts'
import type { ForgeReply } from '../http/reply.ts'
import type { AskStorage } from '../large-files/ask-storage.ts'
import type { CountCommits } from '../large-files/commit-counts.ts'
import type { XetHashes } from '../large-files/xet-hashes.ts'
import type { DescribeRevision } from '../metadata/describe-revision.ts'
import type { ReadmeThread } from '../readme/open-readme-thread.ts'
import type { ShowReadme } from '../readme/show-readme.ts'
import type { Seal } from '../words/seal.ts'

/** Limits for one client. */
export interface ForgeBounds {
  /** Bytes of the body of a commit. */
  readonly commitBytes: number
  /** Bytes of the objects of a push, as the client packs them. */
  readonly pushBytes: number
  /** Bytes that git may use on the disk for one repository. */
  readonly repositoryBytes: number
  /** For saving what others need of a ref that is deleted. */
  readonly savingMs: number
  /** On the disk of the data directory, for the directory. */
  readonly reservedBytes: number
}

export interface ForgeDeps {
  readonly git: Git
  readonly port: CallerPort
  readonly markers: Markers
  readonly inTurn: InTurn
  readonly storage: AskStorage
  readonly seal: Seal
  readonly xetHashes: XetHashes
  readonly countCommits: CountCommits
  readonly describeRevision: DescribeRevision
  readonly showReadme: ShowReadme
  readonly validateCard: ReadmeThread['validateCard']
  readonly commitSlots: Shares
  readonly uploadSlots: Shares
  readonly cardSlots: Shares
  /** In bytes: bodies that are held in memory. */
  readonly bodyRoom: Shares
  readonly room: RepositoryRoom
  readonly saved: SavedContent
  readonly bounds: ForgeBounds
  readonly reserve: DiskReserve
  /** Never taken from a request. */
  readonly publicUrl: string
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly logFailure: (error: unknown, requestId: string) => void
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly requestId: AnyId
  readonly query: ReadonlyMap<string, readonly string[]>
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  readonly hub: CallerQuestions
  /** Holds room in memory until the request is over, charged to its caller. Short bodies take none. */
  readonly takeRoom: TakeRoom
}

export type ForgeHandler<Address> = (
  exchange: Exchange,
  address: Address,
  parts: ForgeDeps,
) => Promise<ForgeReply | Refusal>
