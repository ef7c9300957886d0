/** An admitted request as the work behind it sees it, and what that work answers. */

import type { Grant } from '@latchkey/gate'
import type { Refusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { View, WritablePlace } from '../catalog/catalog.ts'
import type { Payer } from './payer.ts'

export interface StorageCall {
  readonly grant: Grant
  readonly payer: Payer
  /** The refs that the token may read. */
  readonly view: View
  /** Where the token writes. */
  readonly place: WritablePlace
  /**
   * The view of another token of the same repository, if that is as valid as one in Authorization
   * must be.
   */
  lookThrough(token: string): Promise<Sight | Refusal>
  readonly query: URLSearchParams
  /** The value of the Range header. */
  readonly range: string | undefined
  /** The values of a header, joined; names are in lower case. */
  header(name: string): string | undefined
  /** The id of a grant in the path; routes without one do not look at it. */
  readonly grantId: string
  readonly body: Body
  /** Aborted when the client has gone, or its token was taken back. */
  readonly signal: AbortSignal
}

/** Why `signal` was aborted, if the client has gone. */
export class ClientGone extends Error {
  readonly code = 'ECONNRESET'
}

/** The view of a token while the token is valid. */
export interface Sight extends Pick<WritablePlace, 'refuseIfRevoked'> {
  readonly view: View
}

export interface Body {
  readonly stream: AsyncIterable<Uint8Array>
  /** As announced; undefined when it comes in chunks. */
  readonly length: number | undefined
  /** Its reader gets this refusal in place of the rest. */
  stop(refusal: Refusal): void
}

export interface StorageReply {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  /** Parts come with their length among the headers, or without one when nobody knows it. */
  readonly body: string | Buffer | AsyncIterable<Uint8Array | string>
  /** Called when all of it has left, or there is nobody to take it. */
  readonly whenSent?: (() => void) | undefined
}

/** `hash` is the one in the path; routes without one do not look at it. */
export type StorageHandler = (call: StorageCall, hash: Hash) => Promise<StorageReply | Refusal>

export function jsonReply(value: unknown): StorageReply {
  return { status: 200, headers: ['Content-Type', 'application/json'], body: JSON.stringify(value) }
}
