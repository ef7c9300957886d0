/** Questions of a forge and the responses of its hub as JSON: texts for names, pairs for maps. */

import {
  type CommitHash,
  isRefusal,
  type NoCommit,
  type RefName,
  type Refusal,
  type RefusalCode,
  refuse,
  Secret,
  statusOf,
} from '@latchkey/protocol'
import type { IssuedStorageToken, ReadableRefs, ReservedRef } from './forge-port.ts'

/** Names the forge that asks, and which start of it. */
export const forgeHeader = 'latchkey-forge'

/** The hub adds it to a request that it forwards for a browser with a session. */
export const ticketHeader = 'latchkey-ticket'

/** A refusal is a response like any other: the forge passes it on to its client. */
export interface LinkAnswer<Result = unknown> {
  /** The account that the work is charged to. Absent while it is not known. */
  readonly payer?: string
  readonly result?: Result
  readonly refusal?: LinkRefusal
}

/** The reason and the id of the token stay in the log of the hub. */
export type LinkRefusal = Omit<
  { readonly [Member in keyof Refusal as Member extends string ? Member : never]: Refusal[Member] },
  'reason' | 'tokenId'
>

export function encodeRefusal(refusal: Refusal): LinkRefusal {
  const { reason: _, tokenId: __, ...members } = refusal
  return members
}

export function decodeRefusal({ code, detail, ...more }: LinkRefusal): Refusal {
  const knownCode: RefusalCode = Object.hasOwn(statusOf, code) ? code : 'internal_error'
  return refuse(knownCode, String(detail), more)
}

export interface LinkToken extends Omit<IssuedStorageToken, 'accessToken'> {
  readonly accessToken: string
}

export function encodeToken({ accessToken, ...token }: IssuedStorageToken): LinkToken {
  return { ...token, accessToken: accessToken.reveal() }
}

export function decodeToken({ accessToken, ...token }: LinkToken): IssuedStorageToken {
  return { ...token, accessToken: new Secret('access-token', accessToken) }
}

type RefPairs = readonly (readonly [RefName, CommitHash | NoCommit])[]

export interface LinkRefs extends Omit<ReadableRefs, 'refs'> {
  readonly refs: RefPairs
}

export function encodeRefs({ refs, ...more }: ReadableRefs): LinkRefs {
  return { ...more, refs: [...refs] }
}

export function decodeRefs({ refs, ...more }: LinkRefs): ReadableRefs {
  return { ...more, refs: new Map(refs) }
}

export interface LinkReserved extends Omit<ReservedRef, 'token'> {
  readonly token: LinkToken
}

export function encodeReserved({ token, ...more }: ReservedRef): LinkReserved {
  return { ...more, token: encodeToken(token) }
}

export function decodeReserved({ token, ...more }: LinkReserved): ReservedRef {
  return { ...more, token: decodeToken(token) }
}

/** A change whose response was lost: if it is not done, it is never done later. */
export interface LinkOutcome {
  readonly isDone: boolean
  /** The response, where the change has one. */
  readonly result?: unknown
}

/** Encodes what was permitted, and passes a refusal on. */
export function unlessRefused<Value, Encoded>(
  value: Value | Refusal,
  encode: (value: Value) => Encoded,
): Encoded | Refusal {
  return isRefusal(value) ? value : encode(value)
}
