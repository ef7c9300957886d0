/** What a verifier makes of one answer of the hub after the other. */

import { issuer, leewaySeconds, now, tokenOf } from './jws.ts'
import { esKey, headKeys, jwks } from './keys.ts'
import { type HeadChange, headOf, heads } from './revocation-heads.ts'
import { deaths, lists, revocableClaims } from './revocation-lists.ts'

interface Held {
  readonly state: 'none' | 'good' | 'over'
  readonly list?: string
}

interface Step {
  /** Seconds since the step before, by every clock. */
  readonly wait?: number
  /** By how much the wall clock is set, beside that. */
  readonly set?: number
  /** The names of the keys that are published from now on. */
  readonly keys?: readonly string[]
  /** The answer to a question that is sent now; null: the hub does not answer. Left out: nothing is asked. */
  readonly head?: string | null
  readonly holds: Held
}

const { first, second } = headKeys
const at = (seconds: number, more: object = {}): HeadChange => ({
  claims: { iat: now + seconds, exp: now + seconds + 60, ...more },
})
const numbered = (seconds: number, entries: number) => at(seconds, { seq: now * 1000 + entries })
const good = (list = 'empty'): Held => ({ state: 'good', list })
const over = (list = 'empty'): Held => ({ state: 'over', list })
const opening: Step = { head: headOf(), holds: good() }
const old = headOf()
const far = (now + 86_400) * 1000

/** 24 hours of a token, a minute of leeway, and an hour. */
const entryLife = 86_400 + 60 + 3600

const lacking = (list: string): readonly Step[] => [
  { head: headOf({ ...numbered(0, 1), of: list }), holds: good(list) },
  { wait: 5, head: headOf(numbered(5, 2)), holds: good(list) },
  { wait: entryLife - 6, head: headOf(numbered(entryLife - 1, 3)), holds: good(list) },
  { wait: 1, head: headOf(numbered(entryLife, 4)), holds: good() },
]

const histories: Readonly<Record<string, readonly Step[]>> = {
  'a head counts for its life': [opening, { wait: 59, holds: good() }, { wait: 1, holds: over() }],
  'without an answer there is nothing': [{ head: null, holds: { state: 'none' } }],
  'no answer prolongs nothing': [
    opening,
    { wait: 59, head: null, holds: good() },
    { wait: 1, holds: over() },
  ],
  'a newer head counts from when it was asked for': [
    opening,
    { wait: 50, head: headOf(at(50)), holds: good() },
    { wait: 59, holds: good() },
    { wait: 1, holds: over() },
  ],
  'the same head again prolongs nothing': [
    { head: old, holds: good() },
    { wait: 30, head: old, holds: good() },
    { wait: 29, head: old, holds: good() },
    { wait: 1, head: old, holds: over() },
  ],
  'the same number, signed earlier, prolongs nothing': [
    opening,
    { wait: 30, head: headOf(at(-1)), holds: good() },
    { wait: 30, holds: over() },
  ],
  'a lower number is ignored and prolongs nothing': [
    { head: headOf({ ...numbered(0, 5), of: 'ada is cut' }), holds: good('ada is cut') },
    { wait: 30, head: headOf(numbered(30, 4)), holds: good('ada is cut') },
    { wait: 30, head: headOf(numbered(60, 4)), holds: over('ada is cut') },
  ],
  'a higher number counts, also when another clock signed it earlier': [
    opening,
    { wait: 5, head: headOf({ ...numbered(-20, 1), of: 'ada is cut' }), holds: good('ada is cut') },
    { wait: 34, holds: good('ada is cut') },
    { wait: 1, holds: over('ada is cut') },
  ],
  'a clock that is set back prolongs nothing': [
    { head: old, holds: good() },
    { wait: 30, set: -3600, holds: good() },
    { wait: 29, head: old, holds: good() },
    { wait: 1, holds: over() },
  ],
  'a clock that is set forward ends a head': [opening, { set: 60, holds: over() }],
  'a new key is found when a head names it': [
    { keys: ['first'], ...opening },
    {
      wait: 5,
      keys: ['first', 'second'],
      head: headOf({ ...numbered(5, 1), key: second }),
      holds: good(),
    },
  ],
  'a withdrawn key is forgotten after a minute, with what it signed': [
    { keys: ['first'], ...opening },
    { wait: 55, keys: ['second'], head: headOf(at(55)), holds: good() },
    { wait: 5, head: headOf(at(60)), holds: over() },
  ],
  'a withdrawn key leaves no verifier deaf by a number far ahead': [
    { keys: ['first'], head: headOf(at(0, { seq: far })), holds: good() },
    { wait: 5, head: headOf(numbered(5, 1)), holds: good() },
    {
      wait: 5,
      keys: ['second'],
      head: headOf({ ...numbered(10, 2), key: second, of: 'the first key of heads is cut' }),
      holds: good('the first key of heads is cut'),
    },
  ],
  'a withdrawn key leaves no verifier deaf by cutting off the key after it': [
    {
      keys: ['first', 'second'],
      head: headOf({ ...numbered(0, 1), of: 'the second key of heads is cut' }),
      holds: good('the second key of heads is cut'),
    },
    {
      wait: 5,
      head: headOf({ ...numbered(5, 2), key: second }),
      holds: good('the second key of heads is cut'),
    },
    { wait: 5, keys: ['second'], head: headOf({ ...numbered(10, 3), key: second }), holds: good() },
  ],
  'an entry that a newer list lacks counts until it has ended': lacking('bob is cut now'),
  'a final entry that a newer list lacks counts until it has ended':
    lacking('a hub token is cut now'),
  'the entry of a key counts for ever': [
    {
      keys: ['first', 'second'],
      head: headOf({ ...numbered(0, 1), key: second, of: 'the first key of heads is cut' }),
      holds: good('the first key of heads is cut'),
    },
    {
      wait: 10 * entryLife,
      head: headOf({ ...numbered(10 * entryLife, 2), key: second }),
      holds: good('the first key of heads is cut'),
    },
  ],
  'an entry that a newer list lacks counts beside the others': [
    { head: headOf({ ...numbered(0, 1), of: 'bob is cut now' }), holds: good('bob is cut now') },
    {
      wait: 5,
      head: headOf({ ...numbered(5, 2), of: 'ada is cut' }),
      holds: good('ada and bob are cut'),
    },
    {
      wait: 5,
      head: headOf({ ...numbered(10, 3), of: 'bob is cut before now' }),
      holds: good('ada and bob are cut'),
    },
  ],
  'a withdrawn key takes the entries along that no list has any more': [
    {
      keys: ['first', 'second'],
      head: headOf({ ...numbered(0, 1), of: 'bob is cut now' }),
      holds: good('bob is cut now'),
    },
    {
      wait: 5,
      head: headOf({ ...numbered(5, 2), key: second }),
      holds: good('bob is cut now'),
    },
    {
      wait: 60,
      keys: ['second'],
      head: headOf({ ...numbered(65, 3), key: second }),
      holds: good(),
    },
  ],
  'a key that the list cuts off signs no further head, published or not': [
    {
      keys: ['first', 'second'],
      head: headOf({ ...numbered(0, 1), key: second, of: 'the first key of heads is cut' }),
      holds: good('the first key of heads is cut'),
    },
    {
      wait: 5,
      head: headOf({ ...numbered(5, 2), of: 'ada is cut' }),
      holds: good('the first key of heads is cut'),
    },
  ],
}

export const revocationDocument = {
  about: [
    'The documents in which the hub publishes revocations, and the results that a verifier must derive from them.',
    'lists: bytes in base64, their name (hash) and their entries. Bytes without entries are not a valid list, and a verifier rejects them.',
    'heads: for a verifier that holds no head yet, at the time now, with the keys of publishedKeys. accepted: whether the head is valid.',
    'histories: use a new verifier for each. Its clock starts at now, and its keys are those named, or both of publishedKeys. A step is one of these: wait so many seconds; set the wall clock only; the hub publishes other keys; request the head, and receive this one (null: no response). holds: after the step the verifier uses the named list, which may have entries of an earlier list that the list of the head lacks. Its state is none (it has no head), good or over (stale). In all histories the hub serves every list by its hash.',
    'deaths: whether a list revokes the one token of these vectors, which was verified with the key tokenKid.',
  ],
  issuer,
  now,
  leewaySeconds,
  publishedKeys: { first: first.publicJwk, second: second.publicJwk },
  keysOfTokens: jwks,
  signingKeysOfTheseVectors: { first: first.privateJwk, second: second.privateJwk },
  token: tokenOf(revocableClaims),
  tokenKid: esKey.kid,
  lists,
  heads,
  histories: Object.entries(histories).map(([name, steps]) => ({ name, steps })),
  deaths,
}
