/** What a forge asks a hub, and what it is told. */

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
  Role,
  Scope,
  Secret,
  UnixSeconds,
} from '@latchkey/protocol'

export interface ForgePort {
  /** The questions of one request. They are asked as its caller, and count as one request of its hub token. */
  asking(request: ForgeRequest): ForgeQuestions
  /** For recovery alone. Undefined where there is no such repository. */
  refsOf(uid: RepositoryUid): Promise<ReadonlyMap<RefName, CommitHash> | undefined>
}

export interface ForgeRequest {
  readonly request: IncomingMessage
  /** Its Authorization headers, each as a bearer: git sends its credential in another form. */
  readonly authorization: readonly string[]
  readonly requestId: AnyId
}

export interface ForgeTarget {
  /** Undefined when no repository can have this name. */
  readonly repo: RepoRef | undefined
  /** Undefined for the default branch. */
  readonly revision: Revision | undefined
  readonly scope: Scope
}

export interface ForgeTokenTarget extends ForgeTarget {
  readonly repo: RepoRef
  readonly revision: Revision
}

/** Absent and hidden repositories are refused alike. */
export interface ForgeQuestions {
  whoami(): Promise<ForgeCaller | Refusal>
  decide(target: ForgeTarget): Promise<ForgePermitted | Refusal>
  describe(uid: RepositoryUid): Promise<ForgeRepository | undefined>
  /** A new token each time. */
  storageToken(target: ForgeTokenTarget): Promise<ForgeStorageToken | Refusal>
  refs(repo: RepoRef | undefined): Promise<ForgeRefs | Refusal>
  /** Those that the caller may read. */
  repositories(listing: ForgeListing): Promise<ForgePage | Refusal>
  createRepository(wanted: ForgeNewRepository): Promise<ForgeMade | Refusal>
  deleteRepository(repo: RepoRef | undefined): Promise<{ readonly uid: RepositoryUid } | Refusal>
  /** Only from the commit that is expected. The decision is made again in the same transaction. */
  moveRef(move: ForgeMove): Promise<Refusal | undefined>
}

export interface ForgeCaller {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly hubToken: { readonly name: string; readonly kind: string; readonly createdAt: string }
  readonly namespaces: readonly { readonly name: string; readonly role: Role }[]
}

export interface ForgePermitted {
  readonly repo: RepoRef
  readonly repositoryUid: RepositoryUid
  /** The name is a hash where the revision is a commit. */
  readonly ref: { readonly name: RefName | CommitHash; readonly uid: RefUid }
  readonly commit: CommitHash | NoCommit
  readonly account: string
}

export interface ForgeRepository {
  readonly visibility: 'public' | 'private'
  readonly defaultBranch: RefName
  readonly createdAt: string
}

export interface ForgeStorageToken {
  readonly casUrl: string
  readonly accessToken: Secret<'access-token'>
  readonly expiresAt: UnixSeconds
}

export interface ForgeRefs {
  readonly repositoryUid: RepositoryUid
  /** Those that the caller may read. */
  readonly refs: ReadonlyMap<RefName, CommitHash | NoCommit>
  /** Whether there is no other, and the caller may read any that comes. */
  readonly isAll: boolean
}

export interface ForgeNewRepository {
  readonly repo: RepoRef
  readonly visibility: 'public' | 'private'
}

export interface ForgeMade {
  readonly uid: RepositoryUid
  readonly defaultBranch: RefName
  readonly account: string
}

export interface ForgeMove {
  readonly repo: RepoRef
  readonly ref: RefName
  readonly from: CommitHash | NoCommit
  readonly to: CommitHash
}

/** By name, one type at a time. */
export interface ForgeListing {
  readonly type: RepoType
  readonly namespace?: string | undefined
  /** A part of namespace and name, in any case. */
  readonly search?: string | undefined
  /** The `next` of the page before. It may name a repository that the caller may not see. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface ForgePage {
  readonly repositories: readonly ForgeListed[]
  /** Undefined on the last page. A page may have fewer repositories than the limit, and still another behind it. */
  readonly next: string | undefined
}

export interface ForgeListed {
  readonly repo: RepoRef
  readonly uid: RepositoryUid
  readonly visibility: 'public' | 'private'
  readonly commit: CommitHash | NoCommit
  readonly createdAt: string
  readonly updatedAt: string
}
