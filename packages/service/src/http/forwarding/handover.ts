import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '@latchkey/protocol'
import type { Dispatcher } from 'undici'
import type { HeaderList } from '../headers.ts'

export interface Handover {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query as the upstream gets them. */
  readonly target: string
  /** For the upstream, names and values in turn. */
  readonly headers: string[]
  /** The headers that the client gets, made of those of the upstream. */
  answerHeaders(answered: HeaderList): string[]
  /** Calls `cut` when the request must end because it is not admitted any more; gives the function that ends the watch. */
  watch?(cut: (refusal: Refusal) => void): () => void
  /** Answers the client with a refusal. */
  refuse(refusal: Refusal): void
}

/** How an exchange ended; `cut` when the client got no whole answer, by whose fault. */
export interface Ending {
  readonly status: number | undefined
  readonly refusal?: Refusal
  readonly cut?: 'client' | 'upstream' | 'us'
}

/** The server that requests are forwarded to. */
export interface Upstream {
  readonly dispatcher: Dispatcher
  /** How long it may take to begin an answer. */
  readonly headersSeconds: number
  readonly refusals: UpstreamRefusals
  /** Sends no body after the answer to a HEAD. Connections to others end with one: a body would be read as the next answer. */
  readonly isTrusted?: boolean
}

export interface UpstreamRefusals {
  /** It cannot be reached, or it ended the connection. */
  readonly unreachable: Refusal
  /** It did not answer in time. */
  readonly timeout: Refusal
  /** Undefined for a trailer that is dropped in silence, as all are. */
  readonly trailer?: (name: string) => Refusal | undefined
}
