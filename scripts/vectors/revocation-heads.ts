/** Heads of revocations, and whether a verifier that has none yet takes them at the moment now. */

import { goodClaims, issuer, jws, leewaySeconds, now, signatureOf, tokenOf } from './jws.ts'
import { esKey, headKeys, strangerKey, type VectorKey } from './keys.ts'
import { listNamed } from './revocation-lists.ts'

export interface HeadChange {
  readonly key?: VectorKey
  readonly typ?: string
  /** The name of a list. */
  readonly of?: string
  readonly claims?: object
}

const { first, second } = headKeys

export function claimsOf({ of = 'empty', claims = {} }: HeadChange = {}): object {
  const list = listNamed(of).hash
  return { iss: issuer, seq: now * 1000, list, iat: now, exp: now + 60, ...claims }
}

export function headOf(change: HeadChange = {}): string {
  const { key = first, typ = 'latchkey-revocations+jwt' } = change
  const header = JSON.stringify({ alg: key.alg, kid: key.kid, typ })
  return jws(header, JSON.stringify(claimsOf(change)), key)
}

interface HeadCase {
  readonly name: string
  readonly head: string
  readonly accepted: boolean
}

const taken = (name: string, change: HeadChange = {}): HeadCase => ({
  name,
  head: headOf(change),
  accepted: true,
})
const refused = (name: string, head: string): HeadCase => ({ name, head, accepted: false })
const wrong = (name: string, claims: object): HeadCase => refused(name, headOf({ claims }))

const good = headOf()
const payload = JSON.stringify(claimsOf())
const header = JSON.stringify({ alg: first.alg, kid: first.kid, typ: 'latchkey-revocations+jwt' })
const signed = (text: string) => jws(header, text, first)

export const heads: readonly HeadCase[] = [
  taken('ES256'),
  taken('EdDSA', { key: second }),
  taken('of another list', { of: 'ada is cut' }),
  taken('that lives for a second', { claims: { exp: now + 1 } }),
  taken('signed in the future by the leeway', {
    claims: { iat: now + leewaySeconds, exp: now + leewaySeconds + 60 },
  }),
  taken('signed 59 s ago', { claims: { iat: now - 59, exp: now + 1 } }),
  taken('a number a day ahead', { claims: { seq: (now + 86_400) * 1000 } }),
  wrong('a number more than a day ahead', { seq: (now + 86_400) * 1000 + 1 }),
  wrong('the number 2^53 - 1', { seq: 2 ** 53 - 1 }),
  wrong('the number 2^53', { seq: 2 ** 53 }),
  wrong('a number that is text', { seq: String(now * 1000) }),
  wrong('signed in the future by leeway + 1 s', {
    iat: now + leewaySeconds + 1,
    exp: now + leewaySeconds + 61,
  }),
  wrong('over at this second, without leeway', { iat: now - 60, exp: now }),
  wrong('over for an hour', { iat: now - 3660, exp: now - 3600 }),
  wrong('a life of 61 s', { exp: now + 61 }),
  wrong('a life of a day', { exp: now + 86_400 }),
  wrong('no life', { exp: now }),
  wrong('another issuer', { iss: 'https://other.example' }),
  wrong('the issuer with a slash', { iss: `${issuer}/` }),
  wrong('a list that is no hash', { list: '../../secrets' }),
  wrong('a member more', { aud: 'https://cas.example/r' }),
  wrong('a member missing', { seq: undefined }),
  refused('typ at+jwt', headOf({ typ: 'at+jwt' })),
  refused('typ JWT', headOf({ typ: 'JWT' })),
  refused('signed with a key of tokens', headOf({ key: esKey })),
  refused('signed with a key that nobody published', headOf({ key: strangerKey })),
  refused('a storage token', tokenOf(goodClaims)),
  refused('a storage token signed with a key of heads', tokenOf(goodClaims, first)),
  refused('a list that is out of order', headOf({ of: 'out of order' })),
  refused('a list with a byte missing', headOf({ of: 'a byte missing' })),
  refused('a list that cuts off its own key', headOf({ of: 'the first key of heads is cut' })),
  refused(
    'the signature of another head',
    `${good.slice(0, good.lastIndexOf('.'))}.${otherSignature()}`,
  ),
  refused('members in another order', signed(JSON.stringify(reversed()))),
  refused('a space', signed(payload.replace(',', ', '))),
  refused('a member twice', signed(payload.replace('{', '{"seq":1,'))),
  refused('a line break after', `${good}\n`),
  refused('padded', `${good}==`),
  refused('empty', ''),
]

function otherSignature(): string {
  return signatureOf('of another text', first).toString('base64url')
}

function reversed(): object {
  return Object.fromEntries(Object.entries(claimsOf()).reverse())
}
