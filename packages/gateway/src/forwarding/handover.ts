import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '@latchkey/protocol'
import type { Dispatcher } from 'undici'

export interface Handover {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query as the storage gets them. */
  readonly target: string
  /** For the storage, names and values in turn. */
  readonly headers: string[]
  /** For the client, beside the storage's own. */
  readonly answerHeaders: readonly string[]
  /** Calls `cut` when the request must end because its token was taken back; gives the function that ends the watch. */
  watch(cut: (refusal: Refusal) => void): () => void
  /** Answers the client with a refusal. */
  refuse(refusal: Refusal): void
}

/** How an exchange ended; `cut` when the client got no whole answer. */
export interface Ending {
  readonly status: number | undefined
  readonly refusal?: Refusal
  readonly cut?: 'client' | 'storage' | 'gate'
  /** Answered without being judged. */
  readonly isPreflight?: true
}

export interface Storage {
  readonly dispatcher: Dispatcher
  /** How long it may take to begin an answer. */
  readonly headersSeconds: number
}
