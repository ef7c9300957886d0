/** The parts of a request that the gate judges, read once; what could be read in two ways is refused. */

import {
  isRefusal,
  type NormalPath,
  parseStoragePath,
  type Refusal,
  refuse,
  type SlashForm,
} from '@latchkey/protocol'
import { namesIdentity, refuseHeader } from './header-rules.ts'

export interface ReadRequest extends RawRequest {
  readonly path: NormalPath
  /** With its question mark, or empty. */
  readonly query: string
  /** Every Authorization header. */
  readonly authorization: readonly string[]
}

/** `authority` is the storage's own host and port: the absolute form may name no other. */
export function readRequest(
  gateRequest: GateRequest,
  authority: string,
  allowPaths: readonly SlashForm[] = [],
): ReadRequest | Refusal {
  const request = withRawHeaders(gateRequest)
  const target = readTarget(request.target, authority, allowPaths)
  if (target === undefined) return refuse('bad_request', pathExpected)
  if (target.query !== '' && namesMethod(target.query)) return refuse('bad_request', methodInQuery)
  const authorization = readHeaders(request)
  if (isRefusal(authorization)) return authorization
  const { method, target: whole, headers, address } = request
  const { path, query } = target
  return { method, target: whole, headers, address, path, query, authorization }
}

const pathExpected =
  'The path must be in its normal form: no empty, "." or ".." segments, no trailing slash, no encoded letters, digits, slashes or dots, no ";" and nothing but ASCII. Send it as the storage documents it.'

const methodInQuery =
  'A _method parameter in the query, which names another method than the request, is not accepted. Leave it out.'

function readTarget(
  target: string,
  authority: string,
  allowPaths: readonly SlashForm[],
): Pick<ReadRequest, 'path' | 'query'> | undefined {
  const own = target.startsWith('/') ? target : withoutAuthority(target, authority)
  if (own === undefined) return undefined
  const mark = own.indexOf('?')
  const path = parseStoragePath(mark === -1 ? own : own.slice(0, mark), allowPaths)
  if (path === undefined) return undefined
  if (mark === -1) return { path, query: '' }
  const query = own.slice(mark)
  return readableQuery.test(query) ? { path, query } : undefined
}

/** Anything but a fragment, a space, a control or a byte outside of ASCII. */
const readableQuery = /^[\u0021\u0022\u0024-\u007e]*$/

/** RFC 9112 §3.2.2: the absolute form, which overrides Host. */
function withoutAuthority(target: string, authority: string): string | undefined {
  const [, named, rest] = /^https?:\/\/([^/?#]*)(\/.*)$/i.exec(target) ?? []
  return named?.toLowerCase() === authority ? rest : undefined
}

/** The values of Authorization. */
function readHeaders({ method, headers }: RawRequest): readonly string[] | Refusal {
  const authorization: string[] = []
  const framing: string[] = []
  // No pairs are made: this is most of what a request with a known token costs.
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    const value = headers[index + 1] ?? ''
    const refusal = refuseHeader(name)
    if (refusal !== undefined) return refusal
    switch (name.length) {
      case 'authorization'.length:
        if (name.toLowerCase() === 'authorization') authorization.push(value)
        break
      case 'content-length'.length:
        if (name.toLowerCase() === 'content-length') framing.push(value)
        break
      case 'transfer-encoding'.length:
        // Any other coding would be lost on the way, and a number here is no length.
        if (name.toLowerCase() === 'transfer-encoding') framing.push(codingOf(value))
        break
      case 'trailer'.length:
        if (name.toLowerCase() === 'trailer' && namesIdentity(value)) {
          return refuse('bad_request', identityTrailer)
        }
    }
  }
  return refuseFraming(framing, method) ?? authorization
}

function codingOf(value: string): string {
  return value.toLowerCase() === 'chunked' ? 'chunked' : 'unknown'
}

const lengthUnclear = 'The length of the body is given twice or cannot be read. Give it once.'

const identityTrailer = 'Trailers that begin with Latchkey- are set by nobody. Leave them out.'

/** RFC 9112 §6.3: one length, or none and chunks. */
function refuseFraming(framing: readonly string[], method: string): Refusal | undefined {
  const [length, more] = framing
  if (length === undefined) return undefined
  const isClear = more === undefined && /^(?:chunked|\d{1,15})$/.test(length)
  if (!isClear) return refuse('bad_request', lengthUnclear)
  const isEmpty = /^0+$/.test(length)
  return isEmpty || !['GET', 'HEAD'].includes(method)
    ? undefined
    : refuse('bad_request', `A ${method} request has no body here. Leave it out.`)
}

/**
 * The parameter as Rails, Laravel, Symfony, WordPress and the override middlewares of Express read it.
 * PHP also reads a dot, a space or an opening bracket as `_`, drops spaces before a name, and ends it at a bracket or NUL.
 */
const methodName = /^[\s?]*[_. []method\s*(?:[[\0]|$)/i

export function namesMethod(query: string): boolean {
  if (!mayHold.test(query)) return false
  return query
    .split(/[&;]/)
    .some((parameter) => methodName.test(decoded(parameter.split('=', 1)[0] ?? '')))
}

/** Most queries hold neither of these, and are not taken apart. */
const mayHold = /method|%/i

/** Byte by byte, so that bytes which are no UTF-8 elsewhere in the name do not hide it. */
function decoded(name: string): string {
  return name
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

export interface GateRequest {
  readonly method: string
  /** The request target as it came: path and query, or the absolute form. */
  readonly target: string
  /**
   * Names and values in turn, repeated headers repeated, as Node has them in `rawHeaders`; or a `Headers` object, which joins
   * repeated headers with commas.
   */
  readonly headers: readonly string[] | Headers
  /** Where forged tokens are counted; leave it out where it is not known. */
  readonly address?: string | undefined
}

/** A request whose headers are names and values in turn. */
export interface RawRequest extends GateRequest {
  readonly headers: readonly string[]
}

/** The request itself if its headers are names and values in turn. */
export function withRawHeaders(request: GateRequest): RawRequest {
  if (isRaw(request)) return request
  // Named one by one: a spread leaves out the getters of a class.
  const { method, target, address } = request
  return { method, target, headers: rawPairs(request), address }
}

function isRaw(request: GateRequest): request is RawRequest {
  return Array.isArray(request.headers)
}

/**
 * Security boundary: `Headers` joins two Authorization headers into one value, so a value with a comma counts as several.
 * No bearer token has a comma.
 */
function rawPairs({ headers }: GateRequest): readonly string[] {
  if (!('get' in headers)) throw new TypeError(headersExpected)
  return [...headers].flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization'
      ? value.split(',').flatMap((part) => [name, part])
      : [name, value],
  )
}

const headersExpected =
  'headers must be names and values in turn, such as rawHeaders of Node, or a Headers object'
