/**
 * Common part of all clients: the tokens of one repository and revision, for one identity, and
 * requests that carry them.
 */

import type { Scope } from '@latchkey/protocol'
import { badOption, LatchkeyError, refuseOptions } from './error/latchkey-error.ts'
import type { StorageToken } from './hub/read-token-answer.ts'
import { tokenRequests } from './hub/request-token.ts'
import { tokenSource } from './hub/token-source.ts'
import { credentialOf } from './identity/credential.ts'
import {
  type ClientOptions,
  type Fetch,
  type FetchAnswer,
  resolveOptions,
} from './options/resolve-options.ts'
import { untilAborted } from './patience/until-aborted.ts'
import type { HeaderPairs } from './storage/request-body.ts'
import { sendToStorage } from './storage/send-to-storage.ts'
import { type RequestBase, readRequest } from './storage/storage-request.ts'

export interface ClientOver<Answer, Init> {
  /** The token that is held, or a new one. */
  token(
    scope: Scope,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<StorageToken>
  /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
  send(path: string, init: Init): Promise<Answer>
  /** Ends all that is under way and forgets the tokens. */
  close(): void
}

export function clientOver<Answer extends FetchAnswer, Init extends RequestBase>(
  options: ClientOptions,
  fetch: Fetch<Answer>,
  readHeaders: (init: Init) => HeaderPairs,
): ClientOver<Answer, Init> {
  const settled = resolveOptions(options, fetch)
  const controller = new AbortController()
  const closing = controller.signal
  const hub = { settled, credential: credentialOf(options.hubToken), closing }
  const request = tokenRequests(hub)
  const sources = {
    read: tokenSource('read', request, hub),
    write: tokenSource('write', request, hub),
  }
  const tokensFor = (scope: Scope, signal: AbortSignal | undefined) => {
    closing.throwIfAborted()
    signal?.throwIfAborted()
    if (Object.hasOwn(sources, scope)) return sources[scope]
    throw badOption('scope', 'give read or write')
  }

  const token: ClientOver<Answer, Init>['token'] = (scope, options) => {
    // Not async: a token that is held costs no promise of its own.
    try {
      if (options !== undefined) refuseOptions('token', options, { signal: 'object' })
      const signal = options?.signal
      return untilAborted(tokensFor(scope, signal).get(), signal)
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const send: ClientOver<Answer, Init>['send'] = async (path, init) => {
    const storageRequest = readRequest(path, init, () => readHeaders(init))
    const signal =
      storageRequest.signal === undefined
        ? closing
        : AbortSignal.any([closing, storageRequest.signal])
    return sendToStorage(storageRequest, {
      tokens: tokensFor(storageRequest.scope, signal),
      fetch: settled.fetch,
      patience: { ...settled, signal },
    })
  }
  const close = (reason: unknown = new LatchkeyError('closed', 'The client is closed.')) => {
    controller.abort(reason)
    for (const source of Object.values(sources)) source.close()
  }
  if (options.signal?.aborted) close(options.signal.reason)
  options.signal?.addEventListener('abort', () => close(options.signal?.reason), {
    signal: closing,
  })
  return { token, send, close: () => close() }
}
