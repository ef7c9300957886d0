/** Signs requests as AWS Signature Version 4 says, in the headers or in the query. */

import { createHmac, hash } from 'node:crypto'
import type { S3Credentials } from '../object-store.ts'

export interface RequestToSign {
  readonly method: string
  /** As it is sent: encoded. */
  readonly path: string
  readonly query: readonly QueryField[]
  /** Names in lower case; all are signed, and `host` must be among them. */
  readonly headers: Readonly<Record<string, string>>
}

export type QueryField = readonly [name: string, value: string]

export interface Signer {
  readonly credentials: S3Credentials
  readonly region: string
  readonly atMs: number
  /** @default 's3' */
  readonly service?: string
}

export const unsignedPayload = 'UNSIGNED-PAYLOAD'

const algorithm = 'AWS4-HMAC-SHA256'

/** The headers with the signature. A body whose hash is not among the headers may be any. */
export function signedHeaders(
  request: RequestToSign,
  signer: Signer,
): Readonly<Record<string, string>> {
  const { accessKeyId, sessionToken } = signer.credentials
  const { moment, scope } = scopeOf(signer)
  const { 'x-amz-content-sha256': payload = unsignedPayload } = request.headers
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': payload,
    'x-amz-date': moment,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const names = namesOf(headers)
  const signature = signatureOf({ ...request, headers }, payload, signer)
  headers['authorization'] =
    `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return headers
}

/** The query of a URL that needs no other permission for so many seconds. The request must have the headers. */
export function signedQuery(request: RequestToSign, signer: Signer, seconds: number): string {
  const query = [...request.query, ...signerFields(signer, namesOf(request.headers), seconds)]
  const signature = signatureOf({ ...request, query }, unsignedPayload, signer)
  return `${queryOf(query)}&X-Amz-Signature=${signature}`
}

/** The fields of a signed query, but for the signature. */
export function signerFields(
  signer: Signer,
  headerNames: readonly string[],
  seconds: number,
): readonly QueryField[] {
  const { accessKeyId, sessionToken } = signer.credentials
  const { moment, scope } = scopeOf(signer)
  return [
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${accessKeyId}/${scope}`],
    ['X-Amz-Date', moment],
    ['X-Amz-Expires', String(seconds)],
    ['X-Amz-SignedHeaders', headerNames.join(';')],
    ...(sessionToken === undefined ? [] : [['X-Amz-Security-Token', sessionToken] as const]),
  ]
}

function scopeOf({ atMs, region, service = 's3' }: Signer) {
  const moment = new Date(atMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const day = moment.slice(0, 8)
  return { moment, day, service, scope: `${day}/${region}/${service}/aws4_request` }
}

function signatureOf(request: RequestToSign, payload: string, signer: Signer): string {
  const names = namesOf(request.headers)
  const canonical = [
    ...[request.method, request.path, queryOf(request.query)],
    ...names.map((name) => `${name}:${trimmed(request.headers[name])}`),
    ...['', names.join(';'), payload],
  ].join('\n')
  const requestHash = hash('sha256', canonical)
  return hmac(signingKey(signer), introOf(signer) + requestHash).toString('hex')
}

/** Good for a day, and for a region. */
export function signingKey(signer: Signer): Buffer {
  const { day, service } = scopeOf(signer)
  const first = hmac(`AWS4${signer.credentials.secretAccessKey}`, day)
  return [signer.region, service, 'aws4_request'].reduce(hmac, first)
}

/** The text to sign, up to the hash of the request. */
export function introOf(signer: Signer): string {
  const { moment, scope } = scopeOf(signer)
  return `${algorithm}\n${moment}\n${scope}\n`
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function namesOf(headers: RequestToSign['headers']): string[] {
  return Object.keys(headers).sort()
}

function trimmed(value = ''): string {
  return value.trim().replace(/ +/g, ' ')
}

/** In the order that is signed: by the encoded name, then by the value. */
export function queryOf(query: readonly QueryField[]): string {
  return query
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([one, its], [other, others]) => compare(one, other) || compare(its, others))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export function encodedPath(path: string): string {
  return path.split('/').map(encoded).join('/')
}

/** All but letters, digits, `-`, `.`, `_` and `~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
