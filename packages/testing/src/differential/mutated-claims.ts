/** What a token says: right, at the edge of right, or in a form that no hub writes. */

import type { Choices } from './choices.ts'
import { cutAt, issuer, now, type TestGate } from './gates.ts'

type Json = Record<string, unknown>

/** In the order in which a hub writes them. */
function rightClaims({ oneOf }: Choices, audience: string): Json {
  return {
    iss: issuer,
    aud: audience,
    sub: 'ada-id',
    client_id: 'hub-token-id',
    scope: oneOf(['read', 'write']),
    repo: { type: oneOf(['model', 'dataset', 'space']), id: 'acme/bert', uid: 'bertuid' },
    ref: { name: 'refs/heads/main', uid: 'mainuid' },
    commit: 'a'.repeat(40),
    as_of: now * 1000,
    sees: oneOf([[], [], [{ uid: 'forkuid', before: cutAt }]]),
    iat: now - 60,
    exp: now + 840,
    jti: 'token-id',
  }
}

const largest = Number.MAX_SAFE_INTEGER
// biome-ignore format: a table is read by its columns
const numbers = [0, 1, cutAt - 1, cutAt, cutAt + 1, largest - 1, largest, largest + 1, -1, 0.5]
// biome-ignore format: a table is read by its columns
const texts = ['é名🗝', '\u2028', '\u007f', '<&>', '"\\', '\ud800', '\udc00x', '', 'a/b', '\u0001']
const uids = ['mainuid', 'forkuid', 'cutref', 'cutref.part', 'mainuid-1', '-1', 'mainuid.part']
const edges = [-61, -60, -59, -31, -30, -29, -1, 0, 1, 29, 30, 31, 59, 60, 61]

/** Members of the claims that are still written as a hub would write them. */
type Change = (choices: Choices, claims: Json, gate: TestGate) => Json

// biome-ignore format: a table is read by its columns
const changes: readonly Change[] = [
  ({ oneOf }) => ({ exp: now + oneOf(edges) }),
  ({ oneOf }) => ({ iat: now + oneOf(edges) }),
  ({ oneOf }, _claims, { set }) => ({ exp: now - set.leewaySeconds + oneOf([0, 1]) }),
  ({ oneOf }, _claims, { set }) => ({ iat: now + set.leewaySeconds + oneOf([0, 1]) }),
  ({ oneOf }, { iat }) => ({ exp: Number(iat) + 86_400 + oneOf([-1, 0, 1, 2]) }),
  ({ oneOf }) => ({ exp: oneOf([...numbers, '1800000840', null, true, [now], 1e21]) }),
  ({ oneOf }) => ({ iat: oneOf([...numbers, '1800000000', null, false]) }),
  ({ oneOf }) => ({ as_of: oneOf([...numbers, null, '0']) }),
  ({ oneOf }) => ({ iss: oneOf([`${issuer}/`, issuer.toUpperCase(), 'https://evil.example', [issuer], ...texts]) }),
  ({ oneOf }, { aud }) => ({ aud: oneOf([`${aud}/`, String(aud).slice(0, -1), [aud], null, ...texts]) }),
  ({ oneOf }) => ({ sub: oneOf(['bob-id', 'cut-account', 'anonymous', 7, ...texts]) }),
  ({ oneOf }) => ({ client_id: oneOf(['cut-hub-token', 'anonymous', ...texts]), as_of: oneOf(numbers.slice(0, 6)) }),
  ({ oneOf }) => ({ jti: oneOf(['cut-token', null, ...texts]), as_of: oneOf([now * 1000, largest]) }),
  ({ oneOf }) => ({ scope: oneOf(['Read', 'admin', 'read write', ['write'], null, '']) }),
  ({ oneOf }) => ({ repo: { type: 'model', id: oneOf(['evil/x', 'evil', '/evil', ...texts]), uid: oneOf(['bertuid', 'cutuid', ...texts]) }, sub: oneOf(['bob-id', 'eve-id']), as_of: oneOf([cutAt - 1, cutAt]) }),
  ({ oneOf }) => ({ repo: { type: oneOf(['models', 'kernel', '', null]), id: 'acme/bert', uid: 'bertuid' } }),
  ({ oneOf }) => ({ ref: { name: oneOf(['a'.repeat(40), ...texts]), uid: oneOf([...uids, ...texts]) } }),
  ({ oneOf, below }) => ({ sees: Array.from({ length: below(10) }, () => ({ uid: oneOf([...uids, 'x']), before: oneOf(numbers) })) }),
  ({ oneOf }) => ({ sees: oneOf([null, {}, [[]], [null], ['forkuid'], [{ uid: 'forkuid' }], [{ before: 1, uid: 'x' }], [{ uid: 'x', before: 1, more: 1 }], [{ uid: 'x', until: 1 }]]) }),
  ({ oneOf }) => ({ commit: oneOf(['0'.repeat(40), 'ab'.repeat(32), null, ...texts]) }),
  ({ oneOf }) => ({ jti: 'x'.repeat(oneOf([1000, 1500, 1800, 2200, 2400])) }),
]

export function writtenClaims(choices: Choices, gate: TestGate): Json {
  const { isOneIn, oneOf } = choices
  const claims = rightClaims(choices, gate.audience)
  return isOneIn(2) ? claims : { ...claims, ...oneOf(changes)(choices, claims, gate) }
}

/** A member of a JSON text in spellings of which at most one is a hub's. */
// biome-ignore format: a table is read by its columns
const spellings = [
  ...['null', 'true', '""', '[]', '{}', '0', '-0', '00', '01', '+1', '.5', '1.', '1.0', '1e3', '1E+3'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '1800000000.0', '18000000000e-1'],
  ...['"read"', '"\\u0072ead"', '"\\/"', '"\\u00e9"', '"é"', '"\\ud800"', '"\\uD800"', '"\\ud83d\\ude00"'],
  ...['"\u007f"', '"\\u007f"', '"\u2028"', '"\\u2028"', '"\\b\\f\\n\\r\\t"', '"\\u0008"', '"\\u001f"'],
  ...['"\\u001F"', '"\n"', '"\\x"', "'a'", 'NaN', 'Infinity', '-Infinity', 'undefined', '1_000'],
  ...['9'.repeat(400), `1e${'9'.repeat(40)}`, '[[[[[[[[]]]]]]]]', '['.repeat(1200), '{"a":'.repeat(400)],
]
// biome-ignore format: a table is read by its columns
const pieces = [
  ...['', '', ' ', '\t', '\n', ',', ':', '"', '{', '}', '[', ']', '\\', '-', '0', '.0', 'e0', 'é', '\ufeff'],
  ...['\u2028', '\u0000', '\\u0061', '"exp":1,', '"scope":"write",', '"SCOPE":"write",', ',"__proto__":{}'],
  ...['/*x*/', 'null', 'true', '\u00a0'],
]

function memberTexts(claims: Json): string[] {
  return Object.entries(claims).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
}

/** The text of the claims, spelt as a hub would not spell it, or hardly. */
export function misspelt(choices: Choices, claims: Json): string | Buffer {
  const { below, oneOf, spliced } = choices
  const text = JSON.stringify(claims)
  const members = memberTexts(claims)
  const at = below(members.length)
  const name = JSON.stringify(Object.keys(claims)[at])
  const joined = (parts: readonly string[]) => `{${parts.join(',')}}`
  // biome-ignore format: a table is read by its columns
  const ways: readonly (() => string | Buffer)[] = [
    () => spliced(text, pieces),
    () => joined(members.with(at, `${name}:${oneOf(spellings)}`)),
    () => joined(members.toSpliced(at, 1)),
    () => joined(members.toSpliced(below(members.length), 0, members[at] ?? '')),
    () => joined(members.toSpliced(at, 0, `${name}:${oneOf(spellings)}`)),
    () => joined([...members.toSpliced(at, 1), members[at] ?? '']),
    () => text.replace(/"(uid|id|type|name|before)":("?[^",}]*"?)/g, (all, member) => (below(3) === 0 ? `"${member}":${oneOf(spellings)}` : all)),
    () => `${oneOf(['\ufeff', ' ', '', '[', '\u0000'])}${text}${oneOf([' ', '\n', '\u0000', ']', '', '{}'])}`,
    () => oneOf(['', 'null', '[]', '{}', '"x"', '7', '{"', `[${text}]`]),
    () => withBytes(text, below(text.length), oneOf([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])),
  ]
  return oneOf(ways)()
}

/** Bytes that are no UTF-8. */
function withBytes(text: string, at: number, bytes: readonly number[]): Buffer {
  const whole = Buffer.from(text)
  return Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at)])
}
