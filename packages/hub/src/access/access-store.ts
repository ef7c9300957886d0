import type {
  AccountId,
  CommitHash,
  JournalNumber,
  Moment,
  RefName,
  RefUid,
  RepoRef,
  Role,
  UnixSeconds,
} from '@latchkey/protocol'
import type { CallerRecord } from '../identity/caller.ts'
import type { Holder, RefFacts, RepositoryFacts } from '../permission/access-facts.ts'

export type { CallerRecord }

/** Each question is one round trip. Two questions may be answered from different snapshots. A store caches no answer. */
export interface AccessStore {
  /** Whether the version has every change that was committed before it was asked for. */
  readonly isExact: boolean
  /** Another one after every change of the directory, with another mark where facts may have changed. Throws where the store has not heard of it for too long. */
  version(): DirectoryVersion
  /** Whether what was found under a version may still be signed. */
  isFresh(learned: Moment): boolean
  /** Does what asks the store, and once more when a database that was unavailable is back: a short wait, then it throws. */
  untilBack<Result>(work: () => Result | Promise<Result>): Result | Promise<Result>
  /**
   * Without an account, only a public repository is found. The repository and its refs are of one snapshot. An absent and
   * a hidden repository must cost the same work. A store that waits for nothing answers at once.
   */
  find(question: StoreQuestion): StoreAnswer | Promise<StoreAnswer>
  /** Every hub token prefix ever configured: asked once after each change. */
  findPrefixes(): Promise<ReadonlySet<string>>
}

/**
 * How new the directory is. A question that is asked after the version was answered is answered from a snapshot that has
 * every entry up to `number`.
 */
export interface DirectoryVersion {
  /** The journal's last number. */
  readonly number: JournalNumber
  /**
   * Differs after every change but new hub tokens of sign-ins and CI jobs; also where something was written past the
   * journal, or a copy was put back in which the number came again.
   */
  readonly mark: number
  /** The directory was not newer at this moment. */
  readonly learned: Moment
}

export interface StoreQuestion {
  /** Memberships that have ended by then count no more. */
  readonly now: UnixSeconds
  /** Undefined where no caller is to be found. */
  readonly hubTokenHash: string | undefined
  /** Undefined where no repository is to be found. */
  readonly about: LookedUpNames | undefined
  /** As whom to look the repository up; undefined where it need not be. */
  readonly viewerOf: (caller: CallerRecord | undefined) => Viewer | undefined
}

export interface LookedUpNames {
  readonly repo: RepoRef
  readonly names: RevisionNames
}

/** Without an account, the repository is looked up as a stranger would find it. */
export interface Viewer {
  readonly accountId: AccountId | undefined
}

export interface StoreAnswer {
  readonly caller: CallerRecord | undefined
  /** Undefined where it was not looked up. */
  readonly repository: FoundRepository | undefined
}

/** By which names a revision is looked up; with none, no ref is found. */
export interface RevisionNames {
  readonly commit?: CommitHash
  readonly tag?: RefName
  /** A branch or another ref that moves. */
  readonly moving?: RefName | 'default branch'
}

/** `hidden`: the repository is private and the account has no role in it. Nothing else of it leaves the store. */
export type FoundRepository = RepositoryRecord | 'hidden' | 'absent'

export interface RepositoryRecord extends Omit<RepositoryFacts, 'role' | 'roleUntil' | 'ref'> {
  /** The account's role in the namespace. */
  readonly memberRole: Role | null
  readonly collaboratorRole: Role | null
  /** Until when the account's teams give each role at least; 0 where they do not, `noEnd` for ever. */
  readonly teamEnds: Readonly<Record<Role, number>>
  /** The tag or commit that was asked for. */
  readonly fixed: FixedRefRecord | undefined
  readonly moving: MovingRefRecord | undefined
}

export interface MovingRefRecord extends Pick<RefFacts, 'uid' | 'name' | 'commit'> {
  /** The fork that made the ref, the fork that made its origin, and so on; at most `maxAncestors`. */
  readonly forks: readonly Fork[]
}

export interface FixedRefRecord extends Pick<RefFacts, 'uid' | 'name' | 'commit'> {
  /** The moving refs that hold the commit, in the order in which they came to hold it. */
  readonly holders: readonly HolderRecord[]
  /** Names of deleted refs that held the commit; the hash itself for a time without a known holder. */
  readonly pastHolders: readonly string[]
  /** Every fork in the repository, in any order, or none when no holder was forked. */
  readonly forks: readonly Fork[]
}

export interface HolderRecord extends Omit<Holder, 'ancestry'> {
  /** Lower for a ref that was created earlier. */
  readonly refPosition: number
}

export interface Fork {
  readonly uid: RefUid
  readonly fromUid: RefUid
  readonly forkedNumber: JournalNumber
}

/** A longer line of forks is cut. */
export const maxAncestors = 8

/** The end of a membership that has none, where ends are compared. */
export const noEnd = Number.MAX_SAFE_INTEGER
