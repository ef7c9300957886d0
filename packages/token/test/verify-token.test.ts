/** Which tokens a verifier accepts: one spelling, one algorithm per key, every claim (RFC 8725). */

import { generateKeyPairSync, sign } from 'node:crypto'
import { asAccountId, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import {
  type Claims,
  type InvalidToken,
  maxTokenLength,
  serialiseClaims,
  type VerificationResult,
  verifyToken,
} from '../src/index.ts'
import { signToken } from '../src/signing.ts'
import {
  base64url,
  claims,
  derSignatureOf,
  edKey,
  esKey,
  expected,
  forge,
  forgeHeader,
  forgePayload,
  headerOf,
  hmacOf,
  now,
  signatureOf,
  strangerKey,
  withSignature,
} from './forge.ts'

const token = signToken(claims, esKey).reveal()
const payload = serialiseClaims(claims)
const [head = '', body = '', signature = ''] = token.split('.')
const signatureBytes = Buffer.from(signature, 'base64url')
const { kid } = esKey

function refused(reason: InvalidToken): VerificationResult {
  return { ok: false, reason }
}

function part(at: 0 | 32, value: Buffer): Buffer {
  const changed = Buffer.from(signatureBytes)
  value.copy(changed, at)
  return changed
}

function unsigned(header: string): string {
  return `${base64url(header)}.${base64url(payload)}`
}

function confused(header: string, secret: string | Buffer, cut = 64): string {
  const signed = unsigned(header)
  const mac = hmacOf(signed, secret)
  return `${signed}.${base64url(Buffer.concat([mac, mac]).subarray(0, cut))}`
}

describe('a token of another algorithm is refused', () => {
  const none = JSON.stringify({ alg: 'none', kid, typ: 'at+jwt' })
  const hmac = JSON.stringify({ alg: 'HS256', kid, typ: 'at+jwt' })
  const pem = strangerKey.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const publicText = JSON.stringify(esKey.publicJwk)

  test.each([
    ['none, with no signature', `${unsigned(none)}.`],
    ['none, with two segments', unsigned(none)],
    ['none, with the signature of a good token', `${unsigned(none)}.${signature}`],
    ['NONE', `${unsigned(none.replace('none', 'NONE'))}.${signature}`],
    ['HS256 with the public key as secret', confused(hmac, publicText)],
    ['HS256 with the public key as secret, at its own length', confused(hmac, publicText, 32)],
    ['HS256 with any PEM as secret', confused(hmac, Buffer.from(pem))],
    ['ES256 in the header over an HMAC', confused(headerOf(esKey), publicText)],
    ['ES384', forgeHeader(JSON.stringify({ alg: 'ES384', kid, typ: 'at+jwt' }))],
    ['ES256K', forgeHeader(JSON.stringify({ alg: 'ES256K', kid, typ: 'at+jwt' }))],
    ['RS256', forgeHeader(JSON.stringify({ alg: 'RS256', kid, typ: 'at+jwt' }))],
    ['es256 in small letters', forgeHeader(JSON.stringify({ alg: 'es256', kid, typ: 'at+jwt' }))],
    [
      'EdDSA for the key of ES256',
      forgeHeader(JSON.stringify({ alg: 'EdDSA', kid, typ: 'at+jwt' })),
    ],
    [
      'ES256 for the key of EdDSA',
      forge(JSON.stringify({ alg: 'ES256', kid: edKey.kid, typ: 'at+jwt' }), payload, edKey),
    ],
    [
      'Ed25519, the other name of EdDSA',
      forge(headerOf(edKey).replace('EdDSA', 'Ed25519'), payload, edKey),
    ],
  ])('%s', async (_, forged) => {
    expect((await verifyToken(forged, expected)).ok).toBe(false)
  })

  test('as malformed when its header contradicts its key, before any signature is looked at', async () => {
    const header = JSON.stringify({ alg: 'ES256', kid: edKey.kid, typ: 'at+jwt' })
    expect(await verifyToken(forge(header, payload, edKey), expected)).toEqual(refused('malformed'))
  })

  test('also when the verifier was given a key of another curve under the same name', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    const own = new Map([[kid, { kid, alg: 'ES256' as const, publicKey }]])
    const signed = `${head}.${body}`
    const other = sign('sha256', Buffer.from(signed), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    const forged = `${signed}.${base64url(other)}`
    expect(await verifyToken(forged, { ...expected, keys: own })).toEqual(refused('forged'))
  })
})

describe('a token with another signature is refused', () => {
  const signed = `${head}.${body}`
  const zero = Buffer.alloc(32)
  const order = Buffer.from(
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    'hex',
  )

  test.each([
    ['of a stranger', forge(headerOf(esKey), payload, strangerKey)],
    ['of another of our keys', withSignature(token, signatureOf(signed, edKey))],
    ['over another payload', withSignature(token, signatureOf(`${head}.e30`, esKey))],
    ['with r zero', withSignature(token, part(0, zero))],
    ['with s zero', withSignature(token, part(32, zero))],
    ['of zeros', withSignature(token, Buffer.alloc(64))],
    ['with r the order of the curve', withSignature(token, part(0, order))],
    ['with s the order of the curve', withSignature(token, part(32, order))],
    [
      'with its halves swapped',
      withSignature(
        token,
        Buffer.concat([signatureBytes.subarray(32), signatureBytes.subarray(0, 32)]),
      ),
    ],
  ])('%s', async (_, forged) => {
    expect(await verifyToken(forged, expected)).toEqual(refused('forged'))
  })

  test.each([
    ['in DER', derSignatureOf(signed, esKey)],
    ['of 63 bytes', signatureBytes.subarray(1)],
    ['of 65 bytes', Buffer.concat([signatureBytes, Buffer.alloc(1)])],
    ['of 65 bytes with a zero in front', Buffer.concat([Buffer.alloc(1), signatureBytes])],
    ['of 128 bytes', Buffer.concat([signatureBytes, signatureBytes])],
    ['of no bytes', Buffer.alloc(0)],
  ])('%s', async (_, bytes) => {
    expect(await verifyToken(withSignature(token, bytes), expected)).toEqual(refused('malformed'))
  })
})

describe('a token spelt another way is refused', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const group = Math.floor(alphabet.indexOf(signature.slice(-1)) / 16) * 16
  const sameBytes = [...alphabet.slice(group, group + 16)]
    .map((letter) => signature.slice(0, -1) + letter)
    .filter((spelling) => Buffer.from(spelling, 'base64url').equals(signatureBytes))

  test('the last letter of a signature has 16 spellings that decode alike; one verifies', async () => {
    expect(sameBytes).toHaveLength(16)
    const verified = await Promise.all(
      sameBytes.map((spelling) => verifyToken(withSignature(token, spelling), expected)),
    )
    expect(verified.filter(({ ok }) => ok)).toHaveLength(1)
  })

  const plain = signatureBytes.toString('base64').replaceAll('=', '')

  test.each([
    ['with padding on the signature', `${token}==`],
    ['with one sign of padding', `${token}=`],
    ['with padding on the header', `${head}=.${body}.${signature}`],
    ['with padding on the payload', `${head}.${body}==.${signature}`],
    ['with a space in front', ` ${token}`],
    ['with a space behind', `${token} `],
    ['with a line break behind', `${token}\n`],
    ['with a space inside', `${head} .${body}.${signature}`],
    ['with a NUL inside', `${head}.${body}\u0000.${signature}`],
    ['with a letter outside ASCII', `${head}.${body}é.${signature}`],
    ['with a segment more', `${token}.x`],
    ['with an empty segment more', `${token}.`],
    ['with an empty segment in front', `.${token}`],
    ['with two dots', `${head}..${body}.${signature}`],
    ['with an empty header', `.${body}.${signature}`],
    ['with an empty payload', `${head}..${signature}`],
    ['with an empty signature', `${head}.${body}.`],
    ['of two segments', `${head}.${body}`],
    ['of one segment', head],
    ['of five segments', `${token}.x.y`],
    ['that is empty', ''],
    ['that is two dots', '..'],
    ['with its segments swapped', `${body}.${head}.${signature}`],
    ['with Bearer in front', `Bearer ${token}`],
  ])('%s', async (_, changed) => {
    expect(await verifyToken(changed, expected)).toEqual(refused('malformed'))
  })

  test('in the plain base64 alphabet', async () => {
    const withSign = /[+/]/.test(plain) ? plain : `${plain.slice(0, -1)}+`
    expect(await verifyToken(withSignature(token, withSign), expected)).toEqual(
      refused('malformed'),
    )
  })

  test('with more than 4096 characters, even when it is signed properly', async () => {
    const long = forgePayload(serialiseClaims({ ...claims, sub: asAccountId('a'.repeat(3000)) }))
    expect(long.length).toBeGreaterThan(maxTokenLength)
    expect(await verifyToken(long, expected)).toEqual(refused('malformed'))
  })
})

describe('a token with another header is refused', () => {
  const { alg } = esKey

  test.each([
    ['no kid', { alg, typ: 'at+jwt' }],
    ['an empty kid', { alg, kid: '', typ: 'at+jwt' }],
    ['a kid of 42 characters', { alg, kid: kid.slice(1), typ: 'at+jwt' }],
    ['a kid of 44 characters', { alg, kid: `${kid}A`, typ: 'at+jwt' }],
    ['a huge kid', { alg, kid: 'A'.repeat(1500), typ: 'at+jwt' }],
    ['a list of kids', { alg, kid: [kid], typ: 'at+jwt' }],
    ['a kid that is no text', { alg, kid: 1, typ: 'at+jwt' }],
    ['a kid that climbs', { alg, kid: `../${kid.slice(3)}`, typ: 'at+jwt' }],
    ['no typ', { alg, kid }],
    ['the typ JWT', { alg, kid, typ: 'JWT' }],
    ['the typ in capitals', { alg, kid, typ: 'AT+JWT' }],
    ['the typ with its media type', { alg, kid, typ: 'application/at+jwt' }],
    ['no alg', { kid, typ: 'at+jwt' }],
    ['a list of algorithms', { alg: [alg], kid, typ: 'at+jwt' }],
    ['another order', { kid, alg, typ: 'at+jwt' }],
    ['a member more', { alg, kid, typ: 'at+jwt', jku: 'https://evil.example' }],
    ['a key of its own', { alg, kid, typ: 'at+jwt', jwk: strangerKey.publicJwk }],
    ['a member more in front', { crit: ['exp'], alg, kid, typ: 'at+jwt' }],
    ['an unencoded payload', { alg, kid, typ: 'at+jwt', b64: false }],
    ['nothing', {}],
  ])('%s', async (_, header) => {
    const forged = forgeHeader(JSON.stringify(header))
    expect(await verifyToken(forged, expected)).toEqual(refused('malformed'))
  })

  const text = headerOf(esKey)

  test.each([
    ['alg said twice', `{"alg":"none",${text.slice(1)}`],
    ['kid said twice', text.replace('"typ"', `"kid":"${kid}","typ"`)],
    ['a space inside', text.replace(',', ', ')],
    ['a space in front', ` ${text}`],
    ['a line break behind', `${text}\n`],
    ['an escape', text.replace('at+jwt', 'at\\u002bjwt')],
    ['no JSON', 'x'],
    ['null', 'null'],
  ])('%s', async (_, header) => {
    expect(await verifyToken(forgeHeader(header), expected)).toEqual(refused('malformed'))
  })

  test('as of an unknown key when nobody published its key', async () => {
    const forged = signToken(claims, strangerKey).reveal()
    expect(await verifyToken(forged, expected)).toEqual(refused('unknown_key'))
    const none = { ...expected, keys: new Map() }
    expect(await verifyToken(token, none)).toEqual(refused('unknown_key'))
  })
})

describe('a properly signed token that says something else is refused', () => {
  test.each([
    ['a claim is missing', JSON.stringify({ ...claims, jti: undefined })],
    ['a claim is added', JSON.stringify({ ...claims, admin: true })],
    ['a claim is said twice', payload.replace('"scope":"read"', '"scope":"write","scope":"read"')],
    ['the order is another', JSON.stringify(Object.fromEntries(Object.entries(claims).reverse()))],
    ['the audience is a list', JSON.stringify({ ...claims, aud: [claims.aud] })],
    ['the expiry is a text', JSON.stringify({ ...claims, exp: String(claims.exp) })],
    ['the expiry is a fraction', JSON.stringify({ ...claims, exp: claims.exp + 0.5 })],
    ['the expiry is negative', JSON.stringify({ ...claims, exp: -1 })],
    ['the expiry is beyond whole numbers', JSON.stringify({ ...claims, exp: 2 ** 53 })],
    ['there is no expiry', JSON.stringify({ ...claims, exp: undefined })],
    ['the payload is no JSON', 'x'],
    ['the payload is empty', '{}'],
    [
      'the payload holds bytes that are no UTF-8',
      Buffer.from(payload.replace('account', 'acc\u00ffunt'), 'latin1'),
    ],
  ])('when %s', async (_, text) => {
    expect(await verifyToken(forgePayload(text), expected)).toEqual(refused('malformed'))
  })

  test.each([
    ['another issuer', 'https://evil.example'],
    ['the issuer with a slash more', 'https://hub.example/'],
    ['the issuer in capitals', 'https://HUB.example'],
    ['the beginning of the issuer', 'https://hub.exampl'],
  ])('for %s', async (_, iss) => {
    const other = signToken({ ...claims, iss }, esKey).reveal()
    expect(await verifyToken(other, expected)).toEqual({
      ...refused('wrong_issuer'),
      tokenId: claims.jti,
    })
  })

  test.each([
    ['another audience', 'https://evil.example'],
    ['the audience with a slash more', `${claims.aud}/`],
    ['the beginning of the audience', claims.aud.slice(0, -1)],
    ['an audience below', `${claims.aud}/x`],
  ])('for %s', async (_, aud) => {
    const other = signToken({ ...claims, aud }, esKey).reveal()
    expect(await verifyToken(other, expected)).toEqual({
      ...refused('wrong_audience'),
      tokenId: claims.jti,
    })
  })
})

describe('the lifetime of a token', () => {
  async function judged(lifetime: Partial<Claims>, at: number, leewaySeconds?: number) {
    const timed = signToken({ ...claims, ...lifetime }, esKey).reveal()
    const moment = { ...expected, now: at as UnixSeconds }
    const verified = await verifyToken(
      timed,
      leewaySeconds === undefined ? moment : { ...moment, leewaySeconds },
    )
    return verified.ok ? 'accepted' : verified.reason
  }

  test.each([
    [30, 'expired'],
    [31, 'expired'],
    [29, 'accepted'],
    [0, 'accepted'],
    [-1, 'accepted'],
  ])('ends 30 s after exp: %i s after it is %s', async (seconds, verdict) => {
    expect(await judged({}, claims.exp + seconds)).toBe(verdict)
  })

  test.each([
    [0, 'expired'],
    [1, 'expired'],
    [-1, 'accepted'],
  ])('ends at exp without leeway: %i s after it is %s', async (seconds, verdict) => {
    expect(await judged({}, claims.exp + seconds, 0)).toBe(verdict)
  })

  test.each([
    [60, 'expired'],
    [59, 'accepted'],
  ])('ends 60 s after exp with that leeway: %i s after it is %s', async (seconds, verdict) => {
    expect(await judged({}, claims.exp + seconds, 60)).toBe(verdict)
  })

  test.each([
    [31, undefined, 'not_yet_issued'],
    [30, undefined, 'accepted'],
    [1, 0, 'not_yet_issued'],
    [0, 0, 'accepted'],
  ])('begins at iat: %i s before it, with leeway %s, is %s', async (early, leeway, verdict) => {
    const iat = unixSeconds(now + early)
    expect(await judged({ iat, exp: unixSeconds(iat + 900) }, now, leeway)).toBe(verdict)
  })
})

describe('a good token', () => {
  test.each([
    ['ES256', esKey],
    ['EdDSA', edKey],
  ])('of %s gives back its claims and its key', async (_, key) => {
    const good = signToken(claims, key).reveal()
    expect(await verifyToken(good, expected)).toEqual({ ok: true, claims, kid: key.kid })
  })

  test('is accepted with either of the two signatures that ES256 allows', async () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const s = BigInt(`0x${signatureBytes.subarray(32).toString('hex')}`)
    const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
    expect((await verifyToken(withSignature(token, part(32, other)), expected)).ok).toBe(true)
  })

  test('is accepted at exactly 4096 characters', async () => {
    const spare = (size: number) =>
      serialiseClaims({ ...claims, sub: asAccountId('a'.repeat(size)) })
    const size = Array.from({ length: 3000 }, (_, at) => at + 1).find(
      (length) => forgePayload(spare(length)).length === maxTokenLength,
    )
    const full = signToken({ ...claims, sub: asAccountId('a'.repeat(size ?? 0)) }, esKey).reveal()
    expect(full.length).toBe(maxTokenLength)
    expect((await verifyToken(full, expected)).ok).toBe(true)
  })
})

test.each([
  ['now', Number.NaN],
  ['now', Number.NEGATIVE_INFINITY],
  ['leewaySeconds', Number.NaN],
  ['leewaySeconds', Number.POSITIVE_INFINITY],
])('%s that is %d is an error, and lets no expired token pass', async (name, value) => {
  const late = { ...expected, now: claims.exp + 3600, [name]: value }
  await expect(verifyToken(token, late)).rejects.toThrow(RangeError)
})
