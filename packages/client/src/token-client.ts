/** The client without the platform's fetch: tokens, and requests with them over a fetch of one's own. */

import { type ClientOver, clientOver } from './client-over.ts'
import {
  type ClientOptions,
  checkOptions,
  type Fetch,
  type FetchAnswer,
} from './options/resolve-options.ts'
import { readPlainHeaders, type TokenRequestInit } from './storage/storage-request.ts'

export { type ErrorCode, LatchkeyError } from './error/latchkey-error.ts'
export type { Fetch, FetchAnswer, FetchInit } from './options/resolve-options.ts'
export type { TokenRequestInit } from './storage/storage-request.ts'

export interface TokenClientOptions<Answer> extends ClientOptions {
  readonly fetch: Fetch<Answer>
}

export interface TokenClient<Answer>
  extends Pick<ClientOver<Answer, TokenRequestInit>, 'token' | 'close'> {
  /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
  send(path: string, init?: TokenRequestInit): Promise<Answer>
}

export function createTokenClient<Answer extends FetchAnswer>(
  options: TokenClientOptions<Answer>,
): TokenClient<Answer> {
  checkOptions(options)
  const { fetch } = options
  const { token, send, close } = clientOver(options, fetch, readPlainHeaders)
  return { token, send: (path, init = {}) => send(path, init), close }
}
