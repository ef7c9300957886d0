/** What the forge asks its hub for: who calls, what the caller may do, and changes of the directory as the caller. */

import type { IncomingMessage } from 'node:http'
import type {
  AnyId,
  CommitHash,
  NoCommit,
  RefName,
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
}

/** The hub alone says yes. Absent and hidden repositories are refused alike. */
export interface HubQuestions {
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
}

export interface TokenTarget extends Target {
  readonly repo: RepoRef
  readonly revision: Revision
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
  readonly ref: { readonly name: RefName | CommitHash }
  readonly commit: CommitHash | NoCommit
  /** The caller's. */
  readonly account: string
}

export interface Described {
  readonly visibility: 'public' | 'private'
  readonly defaultBranch: RefName
  readonly createdAt: string
}

export interface StorageToken {
  readonly casUrl: string
  readonly accessToken: Secret<'access-token'>
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

export interface DirectoryMove {
  readonly repo: RepoRef
  readonly ref: RefName
  readonly from: CommitHash | NoCommit
  readonly to: CommitHash
}

/** By name, one type at a time. */
export interface RepositoryListing {
  readonly type: RepoType
  readonly namespace?: string | undefined
  /** A part of namespace and name, in any case. */
  readonly search?: string | undefined
  /** The `next` of the page before. It may name a repository that the caller may not see. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface RepositoryPage {
  readonly repositories: readonly ListedRepository[]
  /** Undefined on the last page. A page may have fewer repositories than the limit, and still another behind it. */
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
