import { type NormalPath, parseNormalPath, type Scope, standardScope } from '@latchkey/protocol'
import { badOption, LatchkeyError, refuseOptions } from '../error/latchkey-error.ts'
import type { OnProgress } from './count-bytes.ts'
import {
  type HeaderPairs,
  type PreparedBody,
  prepareBody,
  type RequestBody,
} from './request-body.ts'

/** Like the platform's, but redirects are never followed. */
export interface RequestBase
  extends Omit<RequestInit, 'body' | 'redirect' | 'method' | 'headers' | 'signal' | 'duplex'> {
  readonly method?: string
  readonly signal?: AbortSignal | null | undefined
  readonly body?: RequestBody
  /** Decides what otherwise the scope table does. */
  readonly scope?: Scope
  readonly onUploadProgress?: OnProgress
}

export interface TokenRequestInit extends RequestBase {
  /** The Authorization header is the client's own. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface StorageRequestInit extends RequestBase {
  /** The Authorization header is the client's own. */
  readonly headers?: RequestInit['headers']
  readonly onDownloadProgress?: OnProgress
}

export interface StorageRequest {
  readonly path: StoragePath
  /** The part of a request that an error may show. */
  readonly facts: { readonly method: string; readonly path: string }
  readonly scope: Scope
  readonly headers: HeaderPairs
  /** Begins to read a body that can be read once. */
  prepareBody(): PreparedBody
  readonly signal: AbortSignal | undefined
  /** Further options that the platform understands. */
  readonly rest: RequestInit
}

/** Ours and those of the platform's fetch; the last two lines are for Node, Deno, Bun, workers and frameworks. */
const types: Readonly<Record<string, string>> = {
  ...{ method: 'string', headers: 'object', body: 'any', signal: 'object', scope: 'string' },
  ...{ onUploadProgress: 'function', onDownloadProgress: 'function' },
  ...{ cache: 'any', credentials: 'any', integrity: 'any', keepalive: 'any', mode: 'any' },
  ...{ priority: 'any', referrer: 'any', referrerPolicy: 'any', window: 'any', duplex: 'any' },
  ...{ dispatcher: 'any', client: 'any', tls: 'any', proxy: 'any', unix: 'any', verbose: 'any' },
  ...{ decompress: 'any', cf: 'any', next: 'any' },
}

const otherNames = { onProgress: 'onUploadProgress or onDownloadProgress' }

export function readRequest(
  pathText: string,
  init: RequestBase,
  headers: () => HeaderPairs,
): StorageRequest {
  refuseOptions('a storage request', init, types, otherNames)
  const { body, scope, signal, onUploadProgress, ...rest } = init
  const path = readStoragePath(pathText)
  const method = methodOf(init)
  return {
    ...{ path, rest },
    facts: { method, path: path.path },
    scope: scope ?? standardScope(method, path.path),
    headers: headers(),
    prepareBody: () => prepareBody(body, onUploadProgress),
    signal: signal ?? undefined,
  }
}

/**
 * Refuses headers that fetch would refuse, in our words: the platform's message would repeat the
 * value.
 */
export function readHeaders(init: StorageRequestInit): HeaderPairs {
  const { headers = {}, body, signal: _, ...rest } = init
  try {
    const some = { method: methodOf(init), body: body == null ? null : new Uint8Array() }
    return [...new Request('http://any', { ...rest, ...some, headers }).headers]
  } catch {
    throw badOption('init', 'fetch does not take this method, header or body')
  }
}

/** Without the platform. */
export function readPlainHeaders({ headers = {} }: TokenRequestInit): HeaderPairs {
  return Object.entries(headers).map(([name, value]) => {
    if (/^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t -~]*$/.test(value))
      return [name.toLowerCase(), value]
    throw badOption('headers', 'a name or a value holds what no header may')
  })
}

function methodOf({ method }: RequestBase): string {
  return String(method ?? 'GET').toUpperCase()
}

interface StoragePath {
  /** The path that the scope table checks. */
  readonly path: NormalPath
  /** The path with its query, as it was given. */
  readonly target: string
}

export function readStoragePath(pathText: string): StoragePath {
  const target = String(pathText)
  const mark = target.indexOf('?')
  const path = parseNormalPath(mark === -1 ? target : target.slice(0, mark))
  if (path === undefined) throw refused()
  const read = { path, target }
  // Said before a token is asked for.
  storageUrl('http://any', read)
  return read
}

/** threat: a token goes to its own origin and below its own prefix, so the parsed URL must be the written one. */
export function storageUrl(casUrl: string, { target }: StoragePath): string {
  const url = casUrl + target
  if (new URL(url).href !== url || url.includes('#')) throw refused()
  return url
}

function refused(): LatchkeyError {
  return new LatchkeyError(
    'path_refused',
    'The path is not in its normal form: one slash first, no part empty or dots, the rest percent-encoded.',
  )
}
