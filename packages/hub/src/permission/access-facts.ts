import {
  type CommitHash,
  defaultStorage,
  type JournalNumber,
  type NoCommit,
  noRepositoryUid,
  type RefName,
  type RefUid,
  type RepositoryUid,
  type Revision,
  type Role,
  type StorageName,
  type UnixSeconds,
} from '@latchkey/protocol'

/** A revision, or the repository's default branch, whatever it is called. */
export type WantedRevision = Revision | { readonly kind: 'default' }

export interface RepositoryFacts {
  readonly uid: RepositoryUid
  /** Goes up when content is removed that clients may remember as uploaded. */
  readonly epoch: number
  /** The storage that holds its content. */
  readonly storage: StorageName
  readonly visibility: 'public' | 'private'
  readonly defaultBranch: RefName
  /** The strongest role that the account holds, for the namespace or the repository, itself or through a team. */
  readonly role: Role | undefined
  /** When the role ends, if it comes from memberships that do: then the facts count no more. */
  readonly roleUntil?: UnixSeconds | undefined
  readonly refRules: readonly RefRule[]
  readonly ref: RefFacts | undefined
}

/** A private repository in which the account has no role: nothing else is told of it, not even its uid. */
export const closedRepository: RepositoryFacts = {
  uid: noRepositoryUid,
  epoch: 0,
  storage: defaultStorage,
  visibility: 'private',
  defaultBranch: '' as RefName,
  role: undefined,
  refRules: [],
  ref: undefined,
}

/** Which role writing a matching ref needs, and whether it may leave its history. */
export interface RefRule {
  readonly pattern: string
  readonly write: 'write' | 'admin'
  readonly allowForce?: boolean | undefined
}

export interface RefFacts {
  /** The full ref name, or the hash when the revision is a commit. */
  readonly name: RefName | CommitHash
  readonly uid: RefUid
  readonly commit: CommitHash | NoCommit
  /** For a branch or other moving ref: where it was made from, nearest first. */
  readonly ancestry: readonly Ancestor[]
  /** For a tag or commit: the moving refs that hold it, in the order of `sees`. */
  readonly holders: readonly Holder[]
  /**
   * For a tag or commit: the names of deleted refs that held it. If the list has the ref's own name, the commit was once
   * held by no known ref.
   */
  readonly pastHolders: readonly string[]
}

export interface Ancestor {
  readonly uid: RefUid
  /** The number of the fork: content with a stamp below it is inherited. */
  readonly before: JournalNumber
}

export interface Holder {
  readonly name: RefName
  readonly uid: RefUid
  /** The number under which the commit was recorded on it: content with a stamp below it belongs to the commit. */
  readonly recordedNumber: JournalNumber
  readonly ancestry: readonly Ancestor[]
}
