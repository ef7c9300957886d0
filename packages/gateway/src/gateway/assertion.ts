/** A signed statement of who is let in, bound to one request, for a storage that others than the gateway can reach. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Grant } from '@latchkey/gate'
import { Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'

export interface GrantedRequest {
  readonly grant: Grant
  readonly method: string
  /** Path and query as the storage gets them. */
  readonly target: string
}

/** The content of an assertion; its names are those of the identity headers. */
export interface Assertion {
  readonly method: string
  readonly target: string
  readonly subject: string
  readonly repository: string
  readonly repositoryUid: string
  readonly ref: string
  readonly refUid: string
  readonly scope: string
  readonly exp: number
}

const assertionSeconds = 60
const keyBytes = 32

const header = encode({ alg: 'HS256', typ: 'latchkey-assertion+jwt' })

/** A JWS (HS256) under the key that gateway and storage share. jose would cost four times as much, for every request. */
export function signAssertion(
  { grant, method, target }: GrantedRequest,
  key: Secret<'assertion-key'>,
  now: number,
): string {
  const { subject, repository, repositoryUid, ref, refUid, scope } = grant
  const exp = now + assertionSeconds
  const claims = { method, target, subject, repository, repositoryUid, ref, refUid, scope, exp }
  const signed = `${header}.${encode(claims)}`
  return `${signed}.${mac(signed, key).toString('base64url')}`
}

/**
 * For storages in Node: the assertion, if it is the gateway's, for this very request, and not over.
 * `text` is the header as Node has it.
 *
 * @example
 * ```ts
 * const text = headers['latchkey-assertion']
 * const asserted = readAssertion(text, { method, target }, key, Math.floor(Date.now() / 1000))
 * if (asserted === undefined) response.writeHead(403).end()
 * ```
 */
export function readAssertion(
  text: unknown,
  request: { readonly method: string; readonly target: string },
  /** As the gateway has it: 32 bytes in base64. */
  key: Secret<'assertion-key'> | string,
  /** In Unix seconds. */
  now: number,
): Assertion | undefined {
  refuseShortKey(key)
  if (typeof text !== 'string') return undefined
  const secret = typeof key === 'string' ? new Secret('assertion-key', key) : key
  const [head, payload = '', signature = '', more] = text.split('.')
  if (head !== header || more !== undefined) return undefined
  // As text, because other endings decode to the same bytes.
  const expected = Buffer.from(mac(`${head}.${payload}`, secret).toString('base64url'))
  const signatureBytes = Buffer.from(signature)
  if (signatureBytes.length !== expected.length || !timingSafeEqual(signatureBytes, expected))
    return undefined
  const claims = claimsIn(payload)
  const isForThis = claims?.method === request.method && claims.target === request.target
  return isForThis && claims.exp > now ? claims : undefined
}

/** Everybody could sign with the empty key of a variable that is not set. */
function refuseShortKey(key: Secret<'assertion-key'> | string): void {
  const text = typeof key === 'string' ? key : key.reveal()
  if (Buffer.from(text, 'base64').length === keyBytes) return
  throw new CannotStart('the assertion key must be 32 bytes in base64, the same as the gateway has')
}

/** The key may be in use elsewhere too, for what is no JSON. */
function claimsIn(payload: string): Assertion | undefined {
  try {
    const claims: Assertion | null = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return claims ?? undefined
  } catch {
    return undefined
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function mac(text: string, key: Secret<'assertion-key'>): Buffer {
  return createHmac('sha256', Buffer.from(key.reveal(), 'base64')).update(text).digest()
}
