/** What the forge asks its hub for: who calls, what the caller may do, and changes of the directory as the caller. */

import type { IncomingMessage } from 'node:http'
import type {
  AnyId,
  CommitHash,
  NoCommit,
  RefName,
  RefUid,
  Refusal,
  RepoRef,
  RepositoryUid,
  RepoType,
  Revision,
  Scope,
  Secret,
  UnixSeconds,
} from '@latchkey/protocol'

export interface HubPort {
  /** The questions of one request. They are asked as its caller, and count as one request of its hub token. */
  asking(request: HubRequest): HubQuestions
  /** Refs that have a commit, for recovery alone. Undefined where there is no such repository. */
  refsOf(uid: RepositoryUid): Promise<ReadonlyMap<RefName, CommitHash> | undefined>
  /** Content was stored for a ref that did not come to be: the storage may remove it. Does nothing if the ref is there. */
  dropReserved(uid: RepositoryUid, refUid: RefUid): Promise<void>
  /** Deletes the refs of uploads that are over. Gives how many. */
  expireUploads(): Promise<number>
  /** Those that were deleted. A uid that the hub has never heard of is not among them. */
  deletedAmong(uids: readonly RepositoryUid[]): Promise<readonly RepositoryUid[]>
  /** The forge has these, or is about to: no command of the hub deletes a ref whose content is needed. */
  hold(uids: readonly RepositoryUid[]): Promise<void>
  /** The forge has removed it. */
  release(uid: RepositoryUid): Promise<void>
}

export interface HubRequest {
  readonly request: IncomingMessage
  /** Its Authorization headers, each as a bearer. */
  readonly authorization: readonly string[]
  readonly requestId: AnyId
}

export interface Target {
  /** Undefined when no repository can have this name. */
  readonly repo: RepoRef | undefined
  /** Undefined for the default branch. */
  readonly revision: Revision | undefined
  readonly scope: Scope
  /** The account that has made the pull request whose ref the revision is: it may write it. */
  readonly proposer?: string | undefined
}

/** The hub alone says yes. Absent and hidden repositories are refused alike. */
export interface HubQuestions {
  /** The account that work is charged to: that of the caller, once the hub has answered a question. Until then, and for an anonymous caller, the network of the client. */
  payer(): string
  /** Counts a request that needs no hub token: one that comes without counts for its address. */
  admit(): Promise<Refusal | undefined>
  whoami(): Promise<HubCaller | Refusal>
  decide(target: Target): Promise<Permitted | Refusal>
  describe(uid: RepositoryUid): Promise<Described | undefined>
  storageToken(target: TokenTarget): Promise<StorageToken | Refusal>
  refs(repo: RepoRef | undefined): Promise<ReadableRefs | Refusal>
  /** Those that the caller may read. */
  repositories(listing: RepositoryListing): Promise<RepositoryPage | Refusal>
  createRepository(wanted: NewRepository): Promise<MadeRepository | Refusal>
  deleteRepository(repo: RepoRef | undefined): Promise<{ readonly uid: RepositoryUid } | Refusal>
  /** Only from the commit that is expected. Who may move the ref is decided again in the same transaction. */
  moveRef(move: DirectoryMove): Promise<Refusal | undefined>
  /** Not the default branch. Decided by the name of the ref, as `moveRef` and `newRef` are. */
  deleteRef(deletion: DirectoryDeletion): Promise<Refusal | undefined>
  /** Whether the caller may make the ref, and a place for the content that must be stored before it is there. */
  newRef(wanted: NamedRef): Promise<ReservedRef | Refusal>
  /** What may lose content with the ref, if the caller may delete it. */
  dependents(wanted: NamedRef): Promise<Dependents | Refusal>
  /** Whether the caller may read the revision and propose changes. The caller gets a ref to upload into. */
  openUpload(target: Target): Promise<Permitted | Refusal>
  /** For what the caller has uploaded so. */
  uploadTokens(repo: RepoRef): Promise<readonly StorageToken[]>
}

export interface TokenTarget extends Target {
  readonly repo: RepoRef
  readonly revision: Revision
  /** The token sees only what will be left when this ref is deleted. */
  readonly without?: RefUid | undefined
}

export interface NamedRef {
  readonly repo: RepoRef
  readonly ref: RefName
  /** An account, or `caller` for a pull request that the caller makes. */
  readonly proposer?: string | undefined
}

export interface HubCaller {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly hubToken: { readonly name: string; readonly kind: string; readonly createdAt: string }
  readonly namespaces: readonly { readonly name: string; readonly role: string }[]
}

export interface Permitted {
  readonly repo: RepoRef
  readonly repositoryUid: RepositoryUid
  /** The name is a hash where the revision is a commit. */
  readonly ref: { readonly name: RefName | CommitHash; readonly uid: RefUid }
  readonly commit: CommitHash | NoCommit
  /** The name of the caller's. */
  readonly account: string
  readonly accountId: string
  /** Whether the hub token reads every ref of the repository, and so the whole history. */
  readonly readsEveryRef: boolean
  /** Whether the account can do no more than propose. Told where it proposes. */
  readonly isReader?: boolean
}

export interface Described {
  readonly visibility: 'public' | 'private'
  readonly defaultBranch: RefName
  readonly createdAt: string
}

/** Enough to ask the storage. */
export interface StorageAccess {
  readonly casUrl: string
  readonly accessToken: Secret<'access-token'>
}

export interface StorageToken extends StorageAccess {
  readonly refUid: RefUid
  readonly expiresAt: UnixSeconds
}

export interface ReadableRefs {
  readonly repositoryUid: RepositoryUid
  readonly refs: ReadonlyMap<RefName, CommitHash | NoCommit>
  /** Whether there is no other, and the caller may read any that comes. */
  readonly isAll: boolean
}

export interface NewRepository {
  readonly repo: RepoRef
  readonly visibility: 'public' | 'private'
}

export interface MadeRepository {
  readonly uid: RepositoryUid
  readonly defaultBranch: RefName
  readonly account: string
}

export interface ReservedRef {
  /** No ref has it yet. */
  readonly refUid: RefUid
  /** Writes there. */
  readonly token: StorageToken
  readonly repositoryUid: RepositoryUid
  readonly account: string
  readonly accountId: string
}

export interface Dependents {
  readonly repositoryUid: RepositoryUid
  readonly refUid: RefUid
  readonly commit: CommitHash | NoCommit
  /** Commits on record that the ref had first. */
  readonly commits: readonly {
    readonly hash: CommitHash
    /** Whether another branch has it, too. */
    readonly isHeldElsewhere: boolean
  }[]
  /** Refs made from it, and refs that point to one of the commits. */
  readonly refs: readonly { readonly name: RefName; readonly commit: CommitHash | NoCommit }[]
}

export interface DirectoryMove extends NamedRef {
  readonly from: CommitHash | NoCommit
  /** None for a branch that is made without a commit. */
  readonly to: CommitHash | NoCommit
  /** The ref that content was stored for, if it was. */
  readonly refUid?: RefUid | undefined
  /** Makes the ref, with this uid. */
  readonly isNew?: boolean
}

export interface DirectoryDeletion extends NamedRef {
  readonly from: CommitHash | NoCommit
  readonly refUid: RefUid
  /** What has its content elsewhere now. Refused if the ref has more dependents. */
  readonly saved: Pick<Dependents, 'commits' | 'refs'>
}

/** By name, one type at a time. */
export interface RepositoryListing {
  readonly type: RepoType
  readonly namespace?: string | undefined
  /** A part of namespace and name, in any case. */
  readonly search?: string | undefined
  /** The `next` of the page before, or the repository of it that was shown last, as `formatRepoRef` gives it. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface RepositoryPage {
  readonly repositories: readonly ListedRepository[]
  /** Undefined on the last page. A search may have fewer repositories than the limit, and still another page behind it. */
  readonly next: string | undefined
}

export interface ListedRepository {
  readonly repo: RepoRef
  readonly uid: RepositoryUid
  readonly visibility: 'public' | 'private'
  readonly commit: CommitHash | NoCommit
  readonly createdAt: string
  readonly updatedAt: string
}
