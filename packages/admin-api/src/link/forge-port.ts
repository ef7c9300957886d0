/** The questions of a forge to its hub: who calls, what the caller may do, and changes of the directory as the caller. Plain data goes in and out. */

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
  Role,
  Scope,
  Secret,
  UnixSeconds,
} from '@latchkey/protocol'

export interface CallerPort {
  /** The questions of one request. They are asked as its caller, and count as one request of its hub token. */
  asking(request: CallerRequest): CallerQuestions
  /** Refs that have a commit, or `only` one of them; nobody's rights count. Undefined where there is no such repository. */
  refsOf(uid: RepositoryUid, only?: RefName): Promise<ReadonlyMap<RefName, CommitHash> | undefined>
  /** Content was stored for a ref that did not come to be: the storage may remove it. Does nothing if the ref is there. */
  dropReserved(uid: RepositoryUid, refUid: RefUid): Promise<void>
  /** Deletes the refs of uploads that are over. Gives how many. */
  expireUploads(): Promise<number>
  /** The deleted ones among these uids. Uids that the hub has never known are not included. */
  deletedAmong(uids: readonly RepositoryUid[]): Promise<readonly RepositoryUid[]>
  /** The service has these, or is about to: no command of the hub deletes a ref whose content is needed. */
  hold(uids: readonly RepositoryUid[]): Promise<void>
  /** The service has removed it. */
  release(uid: RepositoryUid): Promise<void>
}

export interface CallerRequest {
  /** The address of the client. */
  readonly address: string
  /** Its Authorization headers, each as a bearer: git sends its credential in another form. */
  readonly authorization: readonly string[]
  /**
   * Stands for the session of a browser, in place of a hub token. Only pages send it: it answers
   * questions about content, and changes nothing.
   */
  readonly ticket?: string | undefined
  readonly requestId: AnyId
}

export interface RevisionTarget {
  /** Undefined when no repository can have this name. */
  readonly repo: RepoRef | undefined
  /** Undefined for the default branch. */
  readonly revision: Revision | undefined
  readonly scope: Scope
}

export interface StorageTokenTarget extends RevisionTarget {
  readonly repo: RepoRef
  readonly revision: Revision
  /** The token sees only what will be left when this ref is deleted. */
  readonly without?: RefUid | undefined
}

export interface CallerRef {
  readonly repo: RepoRef
  readonly ref: RefName
  /** For a pull request that the caller makes. The hub knows the proposers of those that are there. */
  readonly asProposer?: boolean | undefined
}

/** Absent and hidden repositories are refused alike. */
export interface CallerQuestions {
  /** The account that work is charged to: that of the caller, once a question was answered. Until then, and for an anonymous caller, the network of the client. */
  payer(): string
  /** Counts a request that needs no hub token: one that comes without counts for its address. */
  admit(): Promise<Refusal | undefined>
  /** The name of the account whose session the ticket stands for. Undefined without a session. */
  visitor(): Promise<string | undefined>
  whoami(): Promise<CallerProfile | Refusal>
  decide(target: RevisionTarget): Promise<CallerDecision | Refusal>
  /** Undefined also where the caller may read no ref. */
  describe(uid: RepositoryUid): Promise<RepositoryDescription | undefined>
  /** A new token each time. */
  storageToken(target: StorageTokenTarget): Promise<IssuedStorageToken | Refusal>
  refs(repo: RepoRef | undefined): Promise<ReadableRefs | Refusal>
  /** Repositories that the caller may read. */
  repositories(listing: RepositoryListing): Promise<RepositoryPage | Refusal>
  createRepository(repository: NewRepository): Promise<CreatedRepository | Refusal>
  deleteRepository(repo: RepoRef | undefined): Promise<{ readonly uid: RepositoryUid } | Refusal>
  /** Only from the commit that is expected. Who may move the ref is decided again in the same transaction. */
  moveRef(move: RefMove): Promise<Refusal | undefined>
  /** Not the default branch. Decided by the name of the ref, as `moveRef` and `newRef` are. */
  deleteRef(deletion: RefDeletion): Promise<Refusal | undefined>
  /** Whether the caller may make the ref, and a place for the content that must be stored before it is there. */
  newRef(ref: CallerRef): Promise<ReservedRef | Refusal>
  /** Refs and commits that may lose content with the ref, if the caller may delete it. */
  dependents(ref: CallerRef): Promise<RefDependents | Refusal>
  /** Whether the ref, which the caller may write, may leave the history that it has. */
  mayForce(ref: CallerRef): Promise<boolean | Refusal>
  /** Whether the caller may read the revision and propose changes. The caller gets a ref to upload into. */
  openUpload(target: RevisionTarget): Promise<PermittedRevision | Refusal>
  /** Tokens to read what the caller has uploaded so. */
  uploadTokens(repo: RepoRef): Promise<readonly IssuedStorageToken[]>
}

export interface CallerProfile {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly hubToken: Readonly<Record<'name' | 'kind' | 'origin' | 'createdAt', string>>
  readonly namespaces: readonly { readonly name: string; readonly role: Role }[]
}

export interface PermittedRevision {
  readonly repo: RepoRef
  readonly repositoryUid: RepositoryUid
  /** The name is a hash where the revision is a commit. */
  readonly ref: { readonly name: RefName | CommitHash; readonly uid: RefUid }
  readonly commit: CommitHash | NoCommit
  /** The name of the caller's account. */
  readonly account: string
  readonly accountId: string
  /** Whether the hub token reads every ref of the repository, and so the whole history. */
  readonly readsEveryRef: boolean
  /** Whether the account can do no more than propose. Told where it proposes. */
  readonly isReader?: boolean
}

export interface CallerDecision extends PermittedRevision {
  /** A new token each time. The hub decides anew once the decision is too old to issue a token by it. */
  storageToken(): Promise<IssuedStorageToken | Refusal>
}

export interface RepositoryDescription {
  readonly visibility: 'public' | 'private'
  readonly defaultBranch: RefName
  readonly createdAt: string
}

export interface IssuedStorageToken {
  readonly refUid: RefUid
  readonly casUrl: string
  readonly accessToken: Secret<'access-token'>
  readonly expiresAt: UnixSeconds
}

export interface ReadableRefs {
  readonly repositoryUid: RepositoryUid
  /** Refs that the caller may read. */
  readonly refs: ReadonlyMap<RefName, CommitHash | NoCommit>
  /** Whether there is no other, and the caller may read any that comes. */
  readonly isAll: boolean
}

export interface NewRepository {
  readonly repo: RepoRef
  readonly visibility: 'public' | 'private'
}

export interface CreatedRepository {
  readonly uid: RepositoryUid
  readonly defaultBranch: RefName
  readonly account: string
}

export interface ReservedRef {
  /** No ref has it yet. */
  readonly refUid: RefUid
  /** Writes there. */
  readonly token: IssuedStorageToken
  readonly repositoryUid: RepositoryUid
  readonly account: string
  readonly accountId: string
}

export interface RefDependents {
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

export interface RefMove extends CallerRef {
  readonly from: CommitHash | NoCommit
  /** 40 zeros for a branch that is created without a commit. */
  readonly to: CommitHash | NoCommit
  /** The ref that content was stored for. A ref that is not there is made with this uid. */
  readonly refUid?: RefUid | undefined
  /** Makes the ref. */
  readonly isNew?: boolean | undefined
  /** The ref leaves the history that it has: the hub refuses unless a ref rule allows it, or the caller made the pull request. */
  readonly isForced?: boolean | undefined
}

export interface RefDeletion extends CallerRef {
  readonly from: CommitHash | NoCommit
  readonly refUid: RefUid
  /**
   * Refs and commits whose content has another ref now. The hub refuses if the ref has more
   * dependents.
   */
  readonly saved: Pick<RefDependents, 'commits' | 'refs'>
  /** Only a ref rule that allows force permits the deletion. */
  readonly isForced?: boolean | undefined
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
