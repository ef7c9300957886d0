/** A storage request as a developer gives it, read once. */

import type { Scope, ScopeWanted } from '@latchkey/protocol'
import { badOption } from '../error/latchkey-error.ts'
import type { OnProgress } from './count-bytes.ts'
import { type PreparedBody, prepareBody, type RequestBody } from './request-body.ts'
import { readStoragePath, type StoragePath } from './storage-url.ts'

/** Like the platform's, but redirects are never followed. */
export interface StorageRequestInit
  extends Omit<RequestInit, 'body' | 'redirect' | 'method' | 'headers' | 'signal' | 'duplex'> {
  readonly method?: string
  /** The Authorization header is the client's own. */
  readonly headers?: RequestInit['headers']
  readonly signal?: AbortSignal | null | undefined
  readonly body?: RequestBody
  /** Decides what otherwise the scope table does. */
  readonly scope?: Scope
  readonly onUploadProgress?: OnProgress
  readonly onDownloadProgress?: OnProgress
}

export interface StorageRequest {
  readonly path: StoragePath
  /** What an error may tell of it. */
  readonly facts: { readonly method: string; readonly path: string }
  readonly scope: Scope
  readonly headers: Headers
  /** Begins to read a body that can be read once. */
  prepareBody(): PreparedBody
  readonly signal: AbortSignal | undefined
  readonly onDownloadProgress: OnProgress | undefined
  /** Whatever else the platform understands. */
  readonly rest: RequestInit
}

export function readRequest(
  given: string,
  init: StorageRequestInit,
  scopeWanted: ScopeWanted,
): StorageRequest {
  const { headers = {}, body, scope, signal, onUploadProgress, onDownloadProgress, ...rest } = init
  const path = readStoragePath(given)
  const method = String(init.method ?? 'GET').toUpperCase()
  return {
    ...{ path, onDownloadProgress, rest },
    facts: { method, path: path.path },
    scope: scope ?? scopeWanted(method, path.path),
    headers: readHeaders({
      ...rest,
      headers,
      method,
      body: body == null ? null : new Uint8Array(),
    }),
    prepareBody: () => prepareBody(body, onUploadProgress),
    signal: signal ?? undefined,
  }
}

/** What fetch would refuse is refused in words of our own: the platform's would repeat the value. */
function readHeaders(init: RequestInit): Headers {
  try {
    return new Request('http://any', init).headers
  } catch {
    throw badOption('init', 'fetch does not take this method, header or body')
  }
}
