/** The client: get a token, use it, never think about it again. */

import { type ClientOver, clientOver } from './client-over.ts'
import { type ClientOptions, checkOptions } from './options/resolve-options.ts'
import { countBytes } from './storage/count-bytes.ts'
import { readHeaders, type StorageRequestInit } from './storage/storage-request.ts'

export { Secret } from '@latchkey/protocol'
export type { ClientClock } from './clock/client-clock.ts'
export { type ClientCode, type ErrorCode, LatchkeyError } from './error/latchkey-error.ts'
export type { StorageToken } from './hub/read-token-answer.ts'
export type { HubTokenSource } from './identity/credential.ts'
export type { ClientOptions } from './options/resolve-options.ts'
export type { RequestBody } from './storage/request-body.ts'
export type { StorageRequestInit } from './storage/storage-request.ts'

export interface StorageClientOptions extends ClientOptions {
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
}

export interface StorageClient
  extends Pick<ClientOver<Response, StorageRequestInit>, 'token' | 'close'> {
  /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
  fetch(path: string, init?: StorageRequestInit): Promise<Response>
}

/**
 * @example
 * ```ts
 * const client = createStorageClient({
 *   hubUrl: 'https://hub.example',
 *   hubToken: 'lk_…',
 *   repo: 'models/acme/bert',
 * })
 * const response = await client.fetch('/v1/files/0123…')
 * ```
 */
export function createStorageClient(options: StorageClientOptions): StorageClient {
  checkOptions(options)
  const { fetch = globalThis.fetch } = options
  const { token, send, close } = clientOver(options, fetch, readHeaders)
  return {
    token,
    fetch: async (path, init = {}) => watched(await send(path, init), init),
    close,
  }
}

function watched(response: Response, { onDownloadProgress }: StorageRequestInit): Response {
  const { body, headers } = response
  if (onDownloadProgress === undefined || body === null) return response
  const length = headers.get('content-length')
  // The length of what is compressed says nothing about what comes out.
  const total = length === null || headers.has('content-encoding') ? undefined : Number(length)
  return new Response(countBytes(body, total, onDownloadProgress).stream, response)
}
