/** A storage request as a developer gives it, read once. */

import type { Scope, ScopeWanted } from '@latchkey/protocol'
import { badOption } from '../error/latchkey-error.ts'
import type { OnProgress } from './count-bytes.ts'
import {
  type PlainHeaders,
  type PreparedBody,
  prepareBody,
  type RequestBody,
} from './request-body.ts'
import { readStoragePath, type StoragePath } from './storage-url.ts'

/** Like the platform's, but redirects are never followed. */
export interface TokenRequestInit
  extends Omit<RequestInit, 'body' | 'redirect' | 'method' | 'headers' | 'signal' | 'duplex'> {
  readonly method?: string
  /** The Authorization header is the client's own. */
  readonly headers?: PlainHeaders
  readonly signal?: AbortSignal | null | undefined
  readonly body?: RequestBody
  /** Decides what otherwise the scope table does. */
  readonly scope?: Scope
  readonly onUploadProgress?: OnProgress
}

export interface StorageRequestInit extends Omit<TokenRequestInit, 'headers'> {
  readonly headers?: RequestInit['headers']
  readonly onDownloadProgress?: OnProgress
}

export interface StorageRequest {
  readonly path: StoragePath
  /** What an error may tell of it. */
  readonly facts: { readonly method: string; readonly path: string }
  readonly scope: Scope
  readonly headers: PlainHeaders
  /** Begins to read a body that can be read once. */
  prepareBody(): PreparedBody
  readonly signal: AbortSignal | undefined
  /** Whatever else the platform understands. */
  readonly rest: RequestInit
}

export function readRequest(
  given: string,
  init: TokenRequestInit,
  scopeWanted: ScopeWanted,
): StorageRequest {
  const { headers = {}, body, scope, signal, onUploadProgress, ...rest } = init
  const path = readStoragePath(given)
  const method = methodOf(init)
  return {
    ...{ path, headers, rest },
    facts: { method, path: path.path },
    scope: scope ?? scopeWanted(method, path.path),
    prepareBody: () => prepareBody(body, onUploadProgress),
    signal: signal ?? undefined,
  }
}

/** What fetch would refuse is refused in words of our own: the platform's would repeat the value. */
export function readHeaders(init: StorageRequestInit): PlainHeaders {
  const { headers = {}, body, signal: _, ...rest } = init
  try {
    const some = { method: methodOf(init), body: body == null ? null : new Uint8Array() }
    return Object.fromEntries(new Request('http://any', { ...rest, ...some, headers }).headers)
  } catch {
    throw badOption('init', 'fetch does not take this method, header or body')
  }
}

function methodOf({ method }: Pick<TokenRequestInit, 'method'>): string {
  return String(method ?? 'GET').toUpperCase()
}
