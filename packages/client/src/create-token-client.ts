/** A client over a fetch of one's own. In Node, loading the platform's takes longer than a small request. */

import { type ClientOver, clientOver } from './client-over.ts'
import { badOption } from './error/latchkey-error.ts'
import type { ClientOptions, Fetch, FetchAnswer } from './options/settle-options.ts'
import { readPlainHeaders, type TokenRequestInit } from './storage/storage-request.ts'

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
  const { fetch } = options
  if (typeof fetch !== 'function') throw badOption('fetch', 'give a function')
  const { token, send, close } = clientOver(options, fetch, readPlainHeaders)
  return { token, send: (path, init = {}) => send(path, init), close }
}
