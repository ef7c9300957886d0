/** One push, and what its steps need. */

import type { CallerPort, CallerQuestions } from '@latchkey/admin-api/forge-port'
import type { RefName, Refusal, RepoRef, RepositoryUid } from '@latchkey/protocol'
import type { InTurn, Turn } from '../commits/in-turn.ts'
import type { RemovingParts } from '../commits/remove-ref.ts'
import type { IsOffered, ObjectHash, PushRequest, RefTarget, Repository } from '../git/index.ts'

export interface PushParts extends RemovingParts {
  readonly port: CallerPort
  readonly inTurn: InTurn
  readonly logFailure: (error: unknown) => void
}

export interface Push {
  readonly hub: CallerQuestions
  readonly repo: RepoRef
  readonly uid: RepositoryUid
  readonly repository: Repository
  readonly request: PushRequest
  readonly defaultBranch: RefName | undefined
  readonly turn: Turn
  /** Aborted when the client has gone. It ends the work until the first ref is about to move. */
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Bounds the pack; a reader may send less. */
  guard(
    pack: AsyncIterable<Uint8Array>,
    isReader: boolean,
  ): Promise<AsyncIterable<Uint8Array> | Refusal>
  /** The refs that clients see, as the push found them. */
  targets(): Promise<ReadonlyMap<RefName, RefTarget>>
  /** The objects and commits that these point to. */
  offered(): Promise<ReadonlySet<ObjectHash>>
  readonly isOffered: IsOffered
}
