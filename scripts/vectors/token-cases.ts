/** Tokens and whether a verifier accepts them; every expectation is written down by hand. */

import { createHash, createHmac } from 'node:crypto'
import {
  audience,
  base64url,
  goodClaims,
  headerOf,
  issuer,
  jws,
  leewaySeconds,
  now,
  signatureOf,
  signedPart,
  tokenOf,
} from './jws.ts'
import { edKey, esKey, jwks, strangerKey } from './keys.ts'

interface TokenCase {
  readonly name: string
  readonly token: string
  readonly accepted: boolean
  readonly reason?: string
  readonly claims?: object
}

type Row = readonly [name: string, text: string]

const payload = JSON.stringify(goodClaims)
const signed = signedPart(headerOf(), payload)
const signature = lowS(signatureOf(signed))
const good = `${signed}.${base64url(signature)}`

const accepted = (name: string, claims: object, token = tokenOf(claims)): TokenCase => ({
  name,
  token,
  accepted: true,
  claims,
})
const refused = (name: string, token: string, reason = 'malformed'): TokenCase => ({
  name,
  token,
  accepted: false,
  reason,
})
const withClaims = (change: object) => ({ ...goodClaims, ...change })
const withRepo = (change: object) => withClaims({ repo: { ...goodClaims.repo, ...change } })
const withRef = (change: object) => withClaims({ ref: { ...goodClaims.ref, ...change } })
const withSignature = (bytes: Buffer) => `${signed}.${base64url(bytes)}`
const part = (from: number, to?: number) => signature.subarray(from, to)

const goodTokens: readonly TokenCase[] = [
  accepted('ES256, scope read', goodClaims, good),
  accepted('ES256, scope write', withClaims({ scope: 'write' })),
  accepted('ES256, low S', goodClaims, withSignature(signature)),
  accepted('ES256, high S, which is as legal', goodClaims, withSignature(otherS(signature))),
  accepted('EdDSA', goodClaims, tokenOf(goodClaims, edKey)),
  accepted('a dataset', withRepo({ type: 'dataset' })),
  accepted('a space', withRepo({ type: 'space' })),
  accepted('a tag', withRef({ name: 'refs/tags/v1.0' })),
  accepted('a pull request', withRef({ name: 'refs/pr/1' })),
  accepted('a commit as ref', withRef({ name: goodClaims.commit })),
  accepted('a commit of 64 digits', withClaims({ commit: 'ab'.repeat(32) })),
  accepted('a branch without a commit', withClaims({ commit: '0'.repeat(40) })),
  accepted('nothing else is seen', withClaims({ sees: [] })),
  accepted('eight other refs are seen', withClaims({ sees: seen(8) })),
  accepted(
    'as_of and before are 0',
    withClaims({ as_of: 0, sees: [{ uid: 'forkuid', before: 0 }] }),
  ),
  accepted(
    'as_of and before are 2^53 - 1',
    withClaims({ as_of: 2 ** 53 - 1, sees: [{ uid: 'forkuid', before: 2 ** 53 - 1 }] }),
  ),
  accepted('an anonymous reader', withClaims({ sub: 'anonymous' })),
  accepted('letters beyond ASCII, unescaped', withRef({ name: 'refs/heads/é名🗝' })),
  accepted('<, > and &, which some languages escape', withRef({ name: 'refs/heads/a<b>&c' })),
  accepted('U+2028, which some languages escape', withRef({ name: 'refs/heads/a\u2028b' })),
  accepted('quotes and backslashes, escaped once', withClaims({ sub: 'a "b" \\c' })),
  accepted('exactly 4096 characters', ...sized(4096)),
]

const timed: readonly TokenCase[] = [
  accepted('expires now', withClaims({ exp: now })),
  accepted('expired by leeway - 1 s', withClaims({ exp: now - leewaySeconds + 1 })),
  refused(
    'expired by exactly the leeway',
    tokenOf(withClaims({ exp: now - leewaySeconds })),
    'expired',
  ),
  refused(
    'expired by leeway + 1 s',
    tokenOf(withClaims({ exp: now - leewaySeconds - 1 })),
    'expired',
  ),
  refused('expired at the beginning of time', tokenOf(withClaims({ iat: 0, exp: 0 })), 'expired'),
  accepted('issued in the future by the leeway', withClaims({ iat: now + leewaySeconds })),
  refused(
    'issued in the future by leeway + 1 s',
    tokenOf(withClaims({ iat: now + leewaySeconds + 1 })),
    'not_yet_issued',
  ),
]

/** No hub issues one that lives for longer than a day. */
const lifetimes: readonly TokenCase[] = [
  accepted('lives for a day', withClaims({ exp: goodClaims.iat + 86_400 })),
  refused(
    'lives for a day and a second',
    tokenOf(withClaims({ exp: goodClaims.iat + 86_401 })),
    'lives_too_long',
  ),
  refused(
    'an expiry of 2^53 - 1',
    tokenOf(withClaims({ exp: Number.MAX_SAFE_INTEGER })),
    'lives_too_long',
  ),
  refused(
    'issued so long ago that it may still live',
    tokenOf(withClaims({ iat: 0 })),
    'lives_too_long',
  ),
]

const publicPem = esKey.publicKey.export({ type: 'spki', format: 'pem' })
const publicDer = esKey.publicKey.export({ type: 'spki', format: 'der' })
const hs256 = (secret: string | Buffer, alg = 'HS256', digest = 'sha256') => {
  const data = signedPart(headerWith({ alg }), payload)
  return `${data}.${base64url(createHmac(digest, secret).update(data).digest())}`
}

const algorithms: readonly TokenCase[] = [
  refused('alg none, no signature', `${signedPart(headerWith({ alg: 'none' }), payload)}.`),
  refused('alg none, no third segment', signedPart(headerWith({ alg: 'none' }), payload)),
  refused('alg none, with a signature', jws(headerWith({ alg: 'none' }), payload)),
  refused('alg None, with a signature', jws(headerWith({ alg: 'None' }), payload)),
  refused('HS256 with the public key as secret, PEM', hs256(publicPem)),
  refused('HS256 with the public key as secret, PEM trimmed', hs256(publicPem.toString().trim())),
  refused('HS256 with the public key as secret, DER', hs256(publicDer)),
  refused(
    'HS256 with the public key as secret, JWK',
    hs256(JSON.stringify(jwks.keys[0] as unknown)),
  ),
  refused('HS256 with the public key as secret, raw point', hs256(publicDer.subarray(-65))),
  refused('HS256 with an empty secret', hs256('')),
  refused('HS512, whose signature has the right length', hs256(publicPem, 'HS512', 'sha512')),
  refused('ES256 with an HMAC for a signature', hs256(publicPem, 'ES256', 'sha512'), 'forged'),
  refused('RS256', otherAlgorithm('RS256', 256)),
  refused('RS256 with the signature of ES256', jws(headerWith({ alg: 'RS256' }), payload)),
  refused('ES384', otherAlgorithm('ES384', 96)),
  refused('ES384 with the signature of ES256', jws(headerWith({ alg: 'ES384' }), payload)),
  refused('ES256K', jws(headerWith({ alg: 'ES256K' }), payload)),
  refused('es256 in lower case', jws(headerWith({ alg: 'es256' }), payload)),
  refused('alg missing', jws(JSON.stringify({ kid: esKey.kid, typ: 'at+jwt' }), payload)),
  refused('alg as a list', jws(headerWith({ alg: ['ES256'] }), payload)),
  refused(
    'ES256 with the kid of the EdDSA key',
    jws(headerWith({ kid: edKey.kid }), payload, esKey),
  ),
  refused('EdDSA with the kid of the ES256 key', jws(headerWith({ alg: 'EdDSA' }), payload, edKey)),
]

const zero = Buffer.alloc(32)

const signatures: readonly TokenCase[] = [
  refused('signature: r is zero', withSignature(Buffer.concat([zero, part(32)])), 'forged'),
  refused('signature: s is zero', withSignature(Buffer.concat([part(0, 32), zero])), 'forged'),
  refused('signature: both are zero', withSignature(Buffer.alloc(64)), 'forged'),
  refused('signature: r is the order', withSignature(Buffer.concat([order(), part(32)])), 'forged'),
  refused(
    'signature: s is the order',
    withSignature(Buffer.concat([part(0, 32), order()])),
    'forged',
  ),
  refused(
    'signature: r and s exchanged',
    withSignature(Buffer.concat([part(32), part(0, 32)])),
    'forged',
  ),
  refused('signature: DER', withSignature(derOf(signatureOf(signed)))),
  refused('signature: 63 bytes', withSignature(part(0, 63))),
  refused('signature: 65 bytes', withSignature(Buffer.concat([signature, Buffer.from([0])]))),
  refused('signature: of another token', withSignature(signatureOf(`${signed}A`)), 'forged'),
  refused('signature: of another key', jws(headerOf(), payload, strangerKey), 'forged'),
  refused('signature: one bit changed', withSignature(flipped(signature)), 'forged'),
  refused(
    'payload changed after signing',
    `${signedPart(headerOf(), payload.replace('"read"', '"write"'))}.${base64url(signature)}`,
    'forged',
  ),
]

const spellings: readonly TokenCase[] = [
  ...otherEndings(good).map((token, at) =>
    refused(`another ending of the same signature, ${at + 1} of 15`, token),
  ),
  refused('another ending of the same payload', otherPayloadEnding()),
  refused('padded signature', `${good}==`),
  refused('padded payload', good.replace(/\.([^.]+)\./, '.$1=.')),
  refused('the other alphabet of base64', otherAlphabet()),
  refused('a space before', ` ${good}`),
  refused('a space after', `${good} `),
  refused('a line break after', `${good}\n`),
  refused('a space within the signature', `${good.slice(0, -20)} ${good.slice(-20)}`),
  refused('a line break within the payload', good.replace('.', '.\n')),
  refused('a fourth segment', `${good}.${base64url(signature)}`),
  refused('an empty fourth segment', `${good}.`),
  refused('five segments, as if encrypted', `${good}.AAAA.AAAA`),
  refused('an empty first segment', good.replace(/^[^.]+/, '')),
  refused('an empty second segment', good.replace(/\.[^.]+\./, '..')),
  refused('an empty third segment', `${signed}.`),
  refused('two segments', signed),
  refused('two dots alone', '..'),
  refused('empty', ''),
  refused('a word', 'letmein'),
  refused('JWS in JSON', JSON.stringify({ payload: base64url(payload), signatures: [] })),
  refused('a hub token', `lk_${'0123456789'.repeat(5).slice(1)}`),
  refused('64000 characters', 'a'.repeat(64_000)),
  refused('4098 characters, properly signed', sized(4098)[1]),
]

const kid = esKey.kid
const headers: readonly TokenCase[] = (
  [
    ['kid missing', headerWith({ kid: undefined })],
    ['kid of 10 kB', headerWith({ kid: 'k'.repeat(10_240) })],
    ['kid ../../', headerWith({ kid: '../../' })],
    ['kid ../../ filled up', headerWith({ kid: '../../'.padEnd(43, 'a') })],
    ['kid as a list', headerWith({ kid: [kid] })],
    ['kid as a number', headerWith({ kid: 1 })],
    ['kid null', headerWith({ kid: null })],
    ['kid empty', headerWith({ kid: '' })],
    ['kid with a space after', headerWith({ kid: `${kid} ` })],
    ['typ missing', JSON.stringify({ alg: 'ES256', kid })],
    ['typ JWT', headerWith({ typ: 'JWT' })],
    ['typ application/at+jwt', headerWith({ typ: 'application/at+jwt' })],
    ['typ AT+JWT', headerWith({ typ: 'AT+JWT' })],
    ['header: alg said twice', headerOf().replace('{', '{"alg":"none",')],
    ['header: alg said twice, wrong last', headerOf().replace(/\}$/, ',"alg":"none"}')],
    ['header: kid said twice', headerOf().replace('"kid"', `"kid":"${strangerKey.kid}","kid"`)],
    ['header: other order', JSON.stringify({ typ: 'at+jwt', alg: 'ES256', kid })],
    ['header: a space', headerOf().replace(',', ', ')],
    ['header: an escaped letter', headerOf().replace('ES256', '\\u0045S256')],
    ['header: an unknown member', headerWith({ foo: 'bar' })],
    ['header: jku', headerWith({ jku: 'https://evil.example/jwks.json' })],
    ['header: x5u', headerWith({ x5u: 'https://evil.example/cert.pem' })],
    ['header: jwk', headerWith({ jwk: esKey.publicJwk })],
    ['header: x5c', headerWith({ x5c: [publicDer.toString('base64')] })],
    ['header: crit', headerWith({ crit: ['exp'] })],
    ['header: crit and b64', headerWith({ b64: false, crit: ['b64'] })],
    ['header: zip', headerWith({ zip: 'DEF' })],
    ['header: a list', '[]'],
    ['header: no JSON', 'ES256'],
  ] satisfies Row[]
).map(([name, header]) => refused(name, jws(header, payload)))

const otherKeys: readonly TokenCase[] = [
  refused('kid unknown', jws(headerWith({ kid: 'A'.repeat(43) }), payload), 'unknown_key'),
  refused('a key that nobody published', tokenOf(goodClaims, strangerKey), 'unknown_key'),
  refused(
    'its own key in the header',
    jws(headerWith({ kid: strangerKey.kid, jwk: strangerKey.publicJwk }), payload, strangerKey),
  ),
]

const missing: readonly TokenCase[] = [
  ...Object.keys(goodClaims).map(
    (name): Row => [`${name} missing`, JSON.stringify(withClaims({ [name]: undefined }))],
  ),
  ...Object.keys(goodClaims.repo).map(
    (name): Row => [`repo.${name} missing`, JSON.stringify(withRepo({ [name]: undefined }))],
  ),
  ...Object.keys(goodClaims.ref).map(
    (name): Row => [`ref.${name} missing`, JSON.stringify(withRef({ [name]: undefined }))],
  ),
].map(([name, text]) => refused(name, jws(headerOf(), text)))

const texts = ['iss', 'aud', 'sub', 'client_id', 'scope', 'commit', 'jti'] as const
const wrong = (name: string, value: unknown): Row => [
  `${name} is ${JSON.stringify(value)}`,
  JSON.stringify(withClaims({ [name]: value })),
]

const mistyped: readonly TokenCase[] = [
  ...texts.flatMap((name) => [wrong(name, 7), wrong(name, null), wrong(name, ''), wrong(name, {})]),
  ...['acme/bert', [], null].map((value) => wrong('repo', value)),
  ...['refs/heads/main', [], null].map((value) => wrong('ref', value)),
  ...['forkuid', {}, null, ['forkuid']].map((value) => wrong('sees', value)),
  ...['1799999940', 1.5, -1, null, 2 ** 53].map((value) => wrong('iat', value)),
  ...['1800000840', 1_800_000_840.5, -1, null, 2 ** 53, [now + 840]].map((value) =>
    wrong('exp', value),
  ),
  wrong('aud', [audience]),
  wrong('aud', [audience, 'https://other.example']),
  wrong('scope', ['read']),
  wrong('scope', 'read write'),
  wrong('scope', 'READ'),
  wrong('scope', 'admin'),
  wrong('sees', seen(9)),
  ...['1799999940123', 1.5, -1, null, 2 ** 53, [1]].map((value) => wrong('as_of', value)),
  ...['1700000000456', 1.5, -1, null, 2 ** 53, [1]].map((before) =>
    wrong('sees', [{ uid: 'forkuid', before }]),
  ),
  wrong('sees', [{ uid: 7, before: 1_700_000_000_456 }]),
  wrong('sees', [{ uid: 'forkuid' }]),
  wrong('sees', [{ uid: 'forkuid', until: 1_700_000_000 }]),
  wrong('sees', [{ uid: 'forkuid', until: 1_700_000_000, before: 1_700_000_000_456 }]),
].map(([name, text]) => refused(name, jws(headerOf(), text)))

const rewritten: readonly TokenCase[] = (
  [
    ['an additional claim', JSON.stringify(withClaims({ admin: true }))],
    [
      'until in place of before, and no as_of',
      JSON.stringify(
        withClaims({ as_of: undefined, sees: [{ uid: 'forkuid', until: 1_700_000_000 }] }),
      ),
    ],
    ['nbf, which is no claim of ours', JSON.stringify(withClaims({ nbf: now - 60 }))],
    ['an additional member of repo', JSON.stringify(withRepo({ extra: 1 }))],
    ['an additional member of ref', JSON.stringify(withRef({ extra: 1 }))],
    [
      'an additional member of sees',
      JSON.stringify(withClaims({ sees: [{ uid: 'a', before: 1, extra: 1 }] })),
    ],
    ['an unknown type of repository', JSON.stringify(withRepo({ type: 'models' }))],
    ['a uid that is no text', JSON.stringify(withRepo({ uid: 7 }))],
    ['a ref uid that is no text', JSON.stringify(withRef({ uid: null }))],
    ['scope said twice', payload.replace('"scope"', '"scope":"write","scope"')],
    ['scope said twice, write last', payload.replace('"read"', '"read","scope":"write"')],
    ['exp said twice', payload.replace('"exp"', '"exp":9999999999,"exp"')],
    ['repo.uid said twice', payload.replace('"bertuid"', '"bertuid","uid":"gptuid"')],
    ['claims in another order', JSON.stringify(Object.fromEntries(reversed(goodClaims)))],
    [
      'members of repo in another order',
      JSON.stringify(withClaims({ repo: Object.fromEntries(reversed(goodClaims.repo)) })),
    ],
    ['a space in the payload', payload.replace(',', ', ')],
    ['a line break after the payload', `${payload}\n`],
    ['an escaped letter', payload.replace('acme', '\\u0061cme')],
    ['an escaped slash', payload.replace('acme/bert', 'acme\\/bert')],
    ['exp with a fraction of zero', payload.replace(/("exp":\d+)/, '$1.0')],
    ['exp with an exponent', payload.replace(/"exp":\d+/, '"exp":18e8')],
    ['as_of with a fraction of zero', payload.replace(/("as_of":\d+)/, '$1.0')],
    ['as_of with an exponent', payload.replace(/"as_of":\d+/, '"as_of":18e11')],
    ['as_of said twice', payload.replace('"as_of"', '"as_of":0,"as_of"')],
    ['exp beyond all numbers', payload.replace(/"exp":\d+/, '"exp":1e400')],
    ['a byte order mark', `\ufeff${payload}`],
    ['payload: a list', `[${payload}]`],
    ['payload: null', 'null'],
    ['payload: {}', '{}'],
    ['payload: no JSON', 'scope=write'],
  ] satisfies Row[]
).map(([name, text]) => refused(name, jws(headerOf(), text)))

const notText = Buffer.from(payload.replace('account-of-ada', 'account-\u00ff-ada'), 'latin1')

const elsewhere: readonly TokenCase[] = [
  refused('bytes that are no UTF-8', jws(headerOf(), notText)),
  ...['https://evil.example', `${issuer}/`, 'https://HUB.example', 'http://hub.example'].map(
    (iss) => refused(`iss is ${iss}`, tokenOf(withClaims({ iss })), 'wrong_issuer'),
  ),
  ...['https://evil.example', `${audience}/`, 'https://cas.example', `${audience}/bertuid`].map(
    (aud) => refused(`aud is ${aud}`, tokenOf(withClaims({ aud })), 'wrong_audience'),
  ),
]

export const tokenDocument = {
  about: [
    'Storage tokens, and whether a gate accepts them at the time now.',
    'Configure the verifier with issuer, audience, leewaySeconds and the keys of jwks. Each case is one token, exactly as in the header.',
    'accepted: whether the token is valid. claims: the claims of a valid token. reason: the name that our verifier gives to the error; other verifiers may use another name.',
    'signingKeysOfTheseVectors are public, so that you can sign further cases in other languages. Sign only test data with them. A gate must never trust them.',
  ],
  issuer,
  audience,
  now,
  leewaySeconds,
  jwks,
  signingKeysOfTheseVectors: { ES256: esKey.privateJwk, EdDSA: edKey.privateJwk },
  cases: [
    ...[goodTokens, timed, lifetimes, algorithms, signatures, spellings, headers, otherKeys],
    ...[missing, mistyped, rewritten, elsewhere],
  ].flat(),
}

function headerWith(change: object): string {
  return JSON.stringify({ alg: 'ES256', kid: esKey.kid, typ: 'at+jwt', ...change })
}

function seen(count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({ uid: `fork${at}`, before: now * 1000 - at }))
}

function reversed(record: object): [string, unknown][] {
  return Object.entries(record).reverse()
}

/** Claims whose token has exactly so many characters, and that token. */
function sized(length: number): [object, string] {
  for (let size = 1; size < length; size += 1) {
    const claims = withClaims({ sub: 'a'.repeat(size) })
    if (`${signedPart(headerOf(), JSON.stringify(claims))}.`.length + 86 === length)
      return [claims, tokenOf(claims)]
  }
  throw new Error(`no token has ${length} characters`)
}

function scalarS(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.subarray(32).toString('hex')}`)
}

/** (r, n - s) is valid where (r, s) is. */
function otherS(bytes: Buffer): Buffer {
  const n = BigInt(`0x${order().toString('hex')}`)
  const s = (n - scalarS(bytes)).toString(16).padStart(64, '0')
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, 'hex')])
}

function lowS(bytes: Buffer): Buffer {
  const other = otherS(bytes)
  return scalarS(other) < scalarS(bytes) ? other : bytes
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[0] = (copy[0] ?? 0) ^ 1
  return copy
}

/** 64 bytes leave four bits of the last of 86 letters unused; decoders that ignore them take all 16. */
function otherEndings(token: string): string[] {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters.indexOf(token.slice(-1))
  return Array.from({ length: 15 }, (_, at) => `${token.slice(0, -1)}${letters[last + at + 1]}`)
}

/** Signed as it stands: a decoder that ignores the unused bits finds nothing wrong with it. */
function otherPayloadEnding(): string {
  const claims = [1, 2, 3].map((more) => withClaims({ sub: 'a'.repeat(more) }))
  const uneven = claims.map((one) => JSON.stringify(one)).find((text) => text.length % 3 === 1)
  const encoded = base64url(uneven ?? '')
  const next = String.fromCharCode(encoded.charCodeAt(encoded.length - 1) + 1)
  const data = `${base64url(headerOf())}.${encoded.slice(0, -1)}${next}`
  return `${data}.${base64url(signatureOf(data))}`
}

/** `+` and `/` instead of `-` and `_`, in a signature that has one of each. */
function otherAlphabet(): string {
  for (let attempt = 0; ; attempt++) {
    const text = base64url(signatureOf(signed, esKey, attempt))
    if (text.includes('-') && text.includes('_'))
      return `${signed}.${text.replaceAll('-', '+').replaceAll('_', '/')}`
  }
}

/** As X.509 and OpenSSL write an ECDSA signature. */
function derOf(signature: Buffer): Buffer {
  const parts = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const short = number.subarray(number.findIndex((byte) => byte !== 0))
    const positive = (short[0] ?? 0) < 0x80 ? short : Buffer.concat([Buffer.alloc(1), short])
    return Buffer.concat([Buffer.from([2, positive.length]), positive])
  })
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}

/** No key verifies it: the verifier has none of this kind. */
function otherAlgorithm(alg: 'RS256' | 'ES384', length: number): string {
  const data = signedPart(headerWith({ alg }), payload)
  const block = createHash('sha256').update(data).digest()
  return `${data}.${base64url(Buffer.alloc(length, block))}`
}

/** Of the group that P-256 spans. */
function order(): Buffer {
  return Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
}
