/** A storage token: right, changed somewhere, or signed over something that no hub writes. */

import { createHmac } from 'node:crypto'
import type { SigningKey } from '@latchkey/token/signing'
import type { Choices } from './choices.ts'
import { base64url, ed, es, esHead, headerText, signatureOf, signed, stranger } from './forge.ts'
import type { TestGate } from './gates.ts'
import { misspelt, writtenClaims } from './mutated-claims.ts'

export function mutatedToken(choices: Choices, gate: TestGate): string {
  const { oneOf, isOneIn, spliced } = choices
  const key = oneOf([es, es, ed])
  const claims = writtenClaims(choices, gate)
  const text = JSON.stringify(claims)
  // biome-ignore format: a table is read by its columns
  const ways: readonly (() => string)[] = [
    () => signed(headerText(key), misspelt(choices, claims), key),
    () => signed(headerText(key), misspelt(choices, claims), key),
    () => signed(mutatedHeader(choices, key), text, key),
    () => withSignature(choices, headerText(key), text, key),
    () => spliced(signed(headerText(key), text, key), tokenPieces),
    () => otherSpelling(choices, signed(headerText(key), text, key)),
    () => signed(headerText(oneOf([stranger, esHead])), text, oneOf([stranger, esHead])),
    () => signed(headerText(key), text, oneOf([stranger, es, ed])),
    () => shifted(choices, signed(headerText(key), text, key)),
  ]
  return isOneIn(2) ? signed(headerText(key), text, key) : oneOf(ways)()
}

// biome-ignore format: a table is read by its columns
const tokenPieces = [
  ...['', '', 'A', 'B', 'g', '_', '-', '.', '..', '=', '==', ' ', '+', '/', '\t', '\n', '\u00e9', '%', '~'],
  ...[',', '\u0000', '\r\n', '"'],
]

/** A header in its own form for this kid: as it is, spliced, with members of other headers, of other algorithms. */
function mutatedHeader({ oneOf, spliced }: Choices, { alg, kid }: SigningKey): string {
  const [typ, other] = ['at+jwt', alg === 'ES256' ? 'EdDSA' : 'ES256']
  const right = JSON.stringify({ alg, kid, typ })
  // biome-ignore format: a table is read by its columns
  const ways = [
    () => spliced(right, ['', 'A', ' ', ',', '"', '\\u0041', '\n', 'é', '-', '{', '}']),
    () => JSON.stringify({ alg: oneOf(algorithms.concat(other)), kid, typ }),
    () => JSON.stringify({ alg, kid, typ: oneOf(types) }),
    () => JSON.stringify({ alg, kid: oneOf(kidsLike(kid)), typ }),
    () => JSON.stringify({ alg, kid, typ, ...oneOf(members) }),
    () => JSON.stringify({ ...oneOf(members), alg, kid, typ }),
    () => JSON.stringify(oneOf<object>([{ alg, typ, kid }, { kid, alg, typ }, { alg, kid }, { alg, typ }])),
    () => right.replace('{', `{"alg":"${oneOf(algorithms)}",`),
    () => `${right}${oneOf([' ', '\n', '\u0000', '{}'])}`,
    () => ` ${right}`,
    () => oneOf(['', '{}', 'null', '[]', '"x"']),
  ]
  return oneOf(ways)()
}

// biome-ignore format: a table is read by its columns
const algorithms = ['none', 'None', '', 'HS256', 'RS256', 'ES384', 'es256', 'ES256K', 'Ed25519', 'PS256']
// biome-ignore format: a table is read by its columns
const types = ['JWT', 'at+JWT', 'application/at+jwt', '', 'at jwt', 'latchkey-revocations+jwt', 'at+jwt ']
const members = [
  { crit: ['exp'] },
  { jku: 'https://evil.example/keys' },
  { jwk: { kty: 'EC' } },
  { x5u: 'https://evil.example' },
  { b64: false },
  { cty: 'JWT' },
]

function kidsLike(kid: string): readonly string[] {
  return [kid.slice(1), `${kid}A`, kid.toLowerCase(), `${kid.slice(1)}\u00e9`, '', '../keys', kid]
}

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function number(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0').slice(-64), 'hex')
}

/** Right header and claims under a signature in another form or of another number. */
function withSignature(
  { oneOf, below }: Choices,
  header: string,
  payload: string,
  key: SigningKey,
): string {
  const data = `${base64url(header)}.${base64url(payload)}`
  const right = signatureOf(data, key)
  const [r, s] = [right.subarray(0, 32), right.subarray(32)]
  const value = BigInt(`0x${s.toString('hex')}`)
  const zeros = Buffer.alloc(32)
  const at = below(64)
  const flipped = Buffer.from(right)
  flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8))
  const bytes = oneOf<() => Uint8Array>([
    () => Buffer.concat([r, number(order - (value % order))]),
    () => Buffer.concat([r, number(value + order)]),
    () => Buffer.concat([zeros, s]),
    () => Buffer.concat([r, zeros]),
    () => Buffer.concat([zeros, zeros]),
    () => Buffer.concat([r, number(order)]),
    () => Buffer.concat([number(order), s]),
    () => Buffer.concat([s, r]),
    () => Buffer.alloc(64, 0xff),
    () => flipped,
    () => right.subarray(0, below(64)),
    () => Buffer.concat([right, zeros.subarray(0, 1 + below(8))]),
    () => Buffer.concat([zeros.subarray(0, 1), r, zeros.subarray(0, 1), s]),
    () => Buffer.concat([Buffer.from([0x30, 68, 2, 32]), r, Buffer.from([2, 32]), s]),
    () => createHmac('sha256', JSON.stringify(key.publicJwk)).update(data).digest(),
    () => Buffer.alloc(0),
  ])()
  return `${data}.${base64url(bytes)}`
}

/** The same bytes in base64 of another spelling, or the same token among other characters. */
function otherSpelling({ oneOf, below }: Choices, token: string): string {
  const parts = token.split('.')
  const at = below(3)
  const part = parts[at] ?? ''
  const changed = oneOf<() => string>([
    () => `${part}=`,
    () => `${part}==`,
    () => part.replaceAll('-', '+').replaceAll('_', '/'),
    () => `${part.slice(0, -1)}${neighbour(part.at(-1) ?? 'A', 1 + below(15))}`,
    () => `${part}A`,
    () => part.slice(0, -1),
    () => '',
    () => `${part}.`,
    () => `.${part}`,
    () => Buffer.from(part, 'base64url').toString('hex'),
  ])()
  return parts.with(at, changed).join('.')
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function neighbour(letter: string, by: number): string {
  return alphabet.charAt((alphabet.indexOf(letter) + by) % alphabet.length)
}

/** Parts of a token in the places of others. */
function shifted({ oneOf }: Choices, token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return oneOf([
    `${payload}.${header}.${signature}`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}..${signature}`,
    `.${payload}.${signature}`,
    `${header}.${payload}.${signature}.${signature}`,
    token.toLowerCase(),
    `${token}${token}`,
    `${header}.${payload}.${signature}${'A'.repeat(4096)}`,
  ])
}
