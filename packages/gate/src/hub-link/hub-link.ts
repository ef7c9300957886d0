/** The port through which a storage follows its hub: keys, removals, logical time. */

import type { JournalNumber, RefUid, RepositoryUid } from '@latchkey/protocol'
import type { KeySource } from '../keys/key-source.ts'
import type { RevocationSource } from '../revocations/revocation-source.ts'

/** Every method rejects with `HubLinkError` when the hub cannot be reached or refuses the credential. */
export interface HubLink {
  /** The keys that the hub signs storage tokens with. */
  readonly keys: KeySource
  /** Which storage tokens the hub has taken back. */
  readonly revocations: RevocationSource
  /**
   * The entries of the journal after a number. The hub reads them by a statement that begins after
   * the request has arrived. With `waitSeconds` the response comes as soon as there is an entry, or
   * after that time.
   */
  changes(question: ChangesQuestion): Promise<HubChanges | UnknownCursor>
  /** The repositories of the storage by uid, a page at a time, with their namespaces and quotas. */
  quotas(question: QuotasQuestion): Promise<QuotaPage>
  /** Gives repositories new addresses, because content was removed that clients may remember as uploaded. */
  raiseEpochs(repositories: readonly RepositoryUid[]): Promise<void>
  /** The uids among these that the hub's database does not have. */
  findUnknown(uids: readonly PlaceUid[]): Promise<ReadonlySet<PlaceUid>>
}

/** A repository, a ref or a commit. */
export type PlaceUid = RepositoryUid | RefUid

export interface ChangesQuestion {
  /** Left out by a storage that has not asked before: it gets the removals for which tokens can still be in use. */
  readonly after?: JournalNumber
  /** The highest number that the storage has learned from the hub, if it is above `after`: a hub that lacks it has lost entries. */
  readonly known?: JournalNumber
  /** Whole seconds, up to 60. */
  readonly waitSeconds?: number
  readonly signal?: AbortSignal
}

export interface HubChanges {
  readonly kind: 'changes'
  /** Every removal up to this number is in this answer or was in an earlier one. */
  readonly number: JournalNumber
  /** Deleted repositories and refs, oldest first. A deleted repository stands for its refs and commits. */
  readonly removed: readonly PlaceUid[]
  /** False: ask again from `number`, there is more. */
  readonly isComplete: boolean
  /** The quotas of changed repositories and namespaces, as they are now; left out if none changed. */
  readonly quotas?: QuotaStates
}

export interface QuotasQuestion {
  /** The `next` of the page before. */
  readonly after?: string
  readonly signal?: AbortSignal
}

export interface QuotaStates {
  /** The journal's number when they were read: a state with a lower one is older. */
  readonly number: number
  readonly repositories: readonly {
    /** Its uid. */
    readonly repository: string
    /** The id of its namespace, which it keeps. */
    readonly namespace: string
    /** Null is no quota. */
    readonly bytes: number | null
  }[]
  readonly namespaces: readonly { readonly namespace: string; readonly bytes: number | null }[]
}

export interface QuotaPage extends QuotaStates {
  /** Left out on the last page. */
  readonly next?: string
}

/** The journal does not have the number: the hub was restored from a backup, or has pruned its journal. */
export interface UnknownCursor {
  readonly kind: 'unknown cursor'
  /** The journal's last number. */
  readonly number: JournalNumber
}

/** The hub could not be asked; the message names no secret. */
export class HubLinkError extends Error {
  override readonly name: string = 'HubLinkError'
}

/** The hub was asked, and refuses the credential: asking again soon does not help. */
export class CredentialError extends HubLinkError {
  override readonly name = 'CredentialError'
}
