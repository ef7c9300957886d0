/** Proof that the permission decision said yes; minting demands one. */

import type {
  CommitHash,
  JournalNumber,
  NoCommit,
  RefName,
  RefUid,
  RepoRef,
  RepositoryUid,
  Scope,
  StorageName,
  UnixSeconds,
} from '@latchkey/protocol'
import type { SeenRef } from '@latchkey/token'
import type { Caller } from '../identity/caller.ts'

export interface PermittedAccess {
  readonly caller: Caller
  readonly scope: Scope
  readonly repo: RepoRef
  readonly repositoryUid: RepositoryUid
  readonly epoch: number
  readonly storage: StorageName
  readonly ref: { readonly name: RefName | CommitHash; readonly uid: RefUid }
  readonly commit: CommitHash | NoCommit
  /** When the caller's role ends, if it does: so does the token. */
  readonly roleUntil: UnixSeconds | undefined
  /** How new the view of the directory was at least. */
  readonly asOf: JournalNumber
  readonly sees: readonly SeenRef[]
}

class PermitProof {
  readonly #permitted: PermittedAccess

  constructor(permitted: PermittedAccess) {
    this.#permitted = permitted
  }

  get permitted(): PermittedAccess {
    return this.#permitted
  }
}

/** Nominal: nothing but `permit` makes one. */
export type Permit = PermitProof

/** For `decidePermission` alone; a test lists who imports it. */
export function permit(permitted: PermittedAccess): Permit {
  return new PermitProof(permitted)
}

export function isPermit(value: unknown): value is Permit {
  return value instanceof PermitProof
}
