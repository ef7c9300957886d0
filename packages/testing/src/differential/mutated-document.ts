/** Heads, lists and keys as a hub publishes them, or as nobody should. */

import { hash } from 'node:crypto'
import type { Choices } from './choices.ts'
import { base64url, ed, edHead, es, esHead, headerText, signatureOf, signed } from './forge.ts'
import { issuer, now } from './gates.ts'
import type { ReadHead, ReadKeys, ReadList } from './questions.ts'

const typ = 'latchkey-revocations+jwt'

export function mutatedHead({ below, isOneIn, oneOf, spliced }: Choices): ReadHead {
  const key = oneOf([esHead, edHead])
  const list = oneOf([
    'A'.repeat(43),
    'é'.repeat(43),
    'A'.repeat(42),
    '',
    `${'-'.repeat(42)}_`,
    null,
  ])
  const iat = now + below(200) - 100
  const right = { iss: issuer, seq: now * 1000, list: 'B'.repeat(43), iat, exp: iat + 60 }
  const largest = Number.MAX_SAFE_INTEGER
  const claims = oneOf<() => object>([
    () => right,
    () => right,
    () => right,
    () => ({ ...right, exp: iat + oneOf([0, 1, 59, 61, -1, 0.5, largest]) }),
    () => ({ ...right, seq: oneOf([0, -1, largest, largest + 1, '1', null, 1.5]) }),
    () => ({ ...right, iat: oneOf([-1, -30, 0, null, '1']), exp: oneOf([1, 0, 30]) }),
    () => ({ ...right, list }),
    () => ({ ...right, iss: oneOf([`${issuer}/`, '', '\ud800', null, [issuer]]) }),
    () => ({ ...right, more: 1 }),
    () => ({ seq: right.seq, iss: issuer, list: right.list, iat, exp: right.exp }),
    () => oneOf<object>([[], {}]),
  ])()
  const text = JSON.stringify(claims)
  const payload = isOneIn(6)
    ? spliced(text, ['', ' ', '.0', '-', '"', ',', 'e0', 'é', '\ufeff'])
    : text
  const header = headerText(key, isOneIn(12) ? oneOf(['at+jwt', 'JWT', '']) : typ)
  const whole = signed(header, payload, oneOf([key, key, key, key, key, key, es]))
  const other = headerText(oneOf([es, ed]), typ)
  return {
    kind: 'head',
    head: oneOf<() => string>([
      ...[() => whole, () => whole, () => whole, () => whole, () => whole],
      () => spliced(whole, ['', 'A', '.', '=', '\n', '\u00e9', '_']),
      () => signed(other, text, oneOf([es, ed])),
      () => `${whole}${'A'.repeat(4000)}`,
      () => `${base64url(header)}.${base64url(payload)}.${base64url(signatureOf('x', key))}`,
    ])(),
  }
}

/** Entries in their order, of a few chosen hashes and numbers, changed in one place. */
export function mutatedList({ below, isOneIn, oneOf }: Choices): ReadList {
  const hashes = Array.from({ length: below(6) }, () => below(256)).sort((one, two) => one - two)
  const entries = hashes.map((first) => {
    const entry = Buffer.alloc(40, first)
    entry.writeBigUInt64BE(
      oneOf([0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n, 1_800_000n]),
      32,
    )
    return entry
  })
  const whole = Buffer.concat(isOneIn(6) ? entries.toReversed() : entries)
  const bytes = isOneIn(6) ? whole.subarray(0, below(whole.length + 1)) : whole
  return { kind: 'list', bytes: bytes.toString('base64') }
}

// biome-ignore format: a table is read by its columns
const odd = [null, 7, '', 'x', [], {}, true, ['sig'], 'P-256', 'Ed25519', 'EC', 'OKP', 'ES256', 'EdDSA', 'AA']

/** RFC 7638, also over members that nobody should take for a key. */
function thumbprintOf({ crv, kty, x, y }: Record<string, unknown>): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}

/** Documents of keys: with members changed, added or taken away, and with text that is hardly JSON. */
export function mutatedKeys({ isOneIn, oneOf, spliced }: Choices): ReadKeys {
  const keys = [es, ed].map(({ publicJwk, privateKey }) => {
    const jwk: Record<string, unknown> = { ...publicJwk }
    const name = oneOf(Object.keys(jwk))
    if (isOneIn(5)) jwk[name] = oneOf(odd)
    if (isOneIn(6)) jwk[name] = spliced(String(jwk[name]), ['', 'A', '=', '-', '_', ' ', '+', 'é'])
    if (isOneIn(6))
      jwk['x'] = `${oneOf(['', 'A', 'AA', 'AAAA'])}${jwk['x']}${oneOf(['', '=', 'A', ' '])}`
    if (isOneIn(8)) delete jwk[name]
    if (isOneIn(3)) jwk['kid'] = thumbprintOf(jwk)
    if (isOneIn(8)) jwk['d'] = oneOf([null, privateKey.export({ format: 'jwk' }).d])
    return oneOf<unknown>([jwk, jwk, jwk, jwk, jwk, jwk, [jwk], null, 7])
  })
  const text = JSON.stringify(
    isOneIn(12) ? oneOf<unknown>([keys, { keys: keys[0] }, null, {}]) : { keys },
  )
  const pieces = ['', ' ', ',', '"', '\ufeff', 'NaN', '01', '1e400', '\\u0041', '}', '\u00a0']
  return { kind: 'keys', document: isOneIn(5) ? spliced(text, pieces) : text }
}
