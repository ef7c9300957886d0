/** The format of vectors/client.json; the file's `about` explains each member. */

import type { Scope } from '@latchkey/protocol'

export interface ClientDocument {
  readonly about: readonly string[]
  /** The true time at the start of each case, in Unix seconds. */
  readonly now: number
  readonly options: ClientVectorOptions
  readonly token: { readonly casUrl: string; readonly lifetimeSeconds: number }
  readonly cases: readonly ClientCase[]
}

export interface ClientVectorOptions {
  readonly hubUrl?: string
  /** A list: a function that returns them in turn; null: no hub token. */
  readonly hubToken?: string | null | readonly string[]
  readonly repo?: string
  readonly revision?: string
  readonly allowPlainHttp?: boolean
  readonly refreshBufferSeconds?: number
  readonly retryTimeoutSeconds?: number
}

export interface ClientCase {
  readonly name: string
  readonly options?: ClientVectorOptions
  readonly skewSeconds?: number
  readonly steps: readonly ClientStep[]
}

export type ClientStep =
  | { readonly hub: readonly ScriptedResponse[] }
  | { readonly storage: readonly ScriptedResponse[] }
  | { readonly advance: number }
  | { readonly setClock: number }
  | { readonly revoke: string }
  | { readonly close: string }
  | { readonly count: RequestCounts }
  | { readonly repeat: number; readonly steps: readonly ClientStep[] }
  | OpenStep
  | CallStep

export interface OpenStep {
  readonly open: string
  readonly options: ClientVectorOptions
  readonly outcome?: Outcome
}

export interface CallStep {
  readonly token?: Scope
  readonly storageRequest?: StorageCall
  readonly client?: string
  readonly concurrently?: number
  readonly outcome: Outcome
  readonly alternative?: Outcome
  /** The least and the greatest number of seconds. */
  readonly took?: readonly [number, number]
  readonly sends?: readonly SentRequest[]
}

export interface StorageCall {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly scope?: Scope
}

export interface Outcome {
  readonly code?: string
  readonly status?: number
  readonly retryAfterSeconds?: number
  readonly requestId?: string
  readonly message?: string
  readonly accessToken?: string
  readonly scope?: Scope
  readonly exp?: number
  readonly casUrl?: string
  readonly body?: string
}

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly authorization?: string | null
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface RequestCounts {
  readonly hub?: number | readonly [number, number]
  readonly storage?: number | readonly [number, number]
}

/** Text that is longer than one would write: `text`, then the letter `a` until `padTo`. */
export type Padded = { readonly text: string; readonly padTo: number }

export type HeaderText = string | null | { readonly secondsFromNow: number }

export type ScriptedResponse =
  | 'default'
  | { readonly failure: 'network' | 'silence' }
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, HeaderText>>
      /** Text is sent as it is, everything else as JSON. */
      readonly body?: unknown
      /** Members of the token response that replace the usual ones; null removes a member. */
      readonly token?: Readonly<Record<string, unknown>>
      readonly lifetimeSeconds?: number
      readonly afterSeconds?: number
    }
