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
  readonly method: string
  readonly path: StoragePath
  readonly scope: Scope
  readonly headers: Headers
  readonly body: PreparedBody
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
  const { headers, body, scope, signal, onUploadProgress, onDownloadProgress, ...rest } = init
  const path = readStoragePath(given)
  const method = String(init.method ?? 'GET').toUpperCase()
  if (!/^[A-Z-]+$/.test(method)) throw badOption('method', 'give the name of an HTTP method')
  if (body != null && ['GET', 'HEAD'].includes(method)) {
    throw badOption('body', `a ${method} request has none`)
  }
  return {
    ...{ method, path, onDownloadProgress, rest },
    scope: scope ?? scopeWanted(method, path.path),
    headers: readHeaders(headers),
    body: prepareBody(body, onUploadProgress),
    signal: signal ?? undefined,
  }
}

/** The platform's own error would repeat the value. */
function readHeaders(given: RequestInit['headers']): Headers {
  try {
    return new Headers(given)
  } catch {
    throw badOption('headers', 'a name or a value holds what no HTTP header may')
  }
}
