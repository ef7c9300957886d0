/** Lists of cut-offs as bytes, and which tokens they end; every expectation is written down by hand. */

import { createHash } from 'node:crypto'
import { goodClaims, now } from './jws.ts'
import { esKey, headKeys } from './keys.ts'

export type Entry = readonly [place: string, number: bigint]

export interface ListCase {
  readonly name: string
  /** In base64. */
  readonly bytes: string
  readonly hash: string
  /** Undefined where the bytes are no list. */
  readonly entries?: readonly object[]
}

/** A uid that ends in `.part` opens nothing written under its tag or commit; cut-offs name it without the ending. */
export const revocableClaims = {
  ...goodClaims,
  sees: [...goodClaims.sees, { uid: 'draftuid.part', before: 1_700_000_000_456 }],
}

const forEver = 2n ** 53n - 1n
const asOf = BigInt(goodClaims.as_of)
const cutNow = BigInt(now) * 1000n
/** The base of final cut-offs: the list adds the time of the cut-off to it. */
const final = 2n ** 52n

export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

export function bytesOf(entries: readonly Entry[]): Buffer {
  const written = entries.map(([place, number]) => {
    const bytes = Buffer.concat([sha256(place), Buffer.alloc(8)])
    bytes.writeBigUInt64BE(number, 32)
    return bytes
  })
  return Buffer.concat(written.sort(Buffer.compare))
}

export function hashOf(bytes: Buffer): string {
  return sha256(bytes).toString('base64url')
}

function list(name: string, ...entries: readonly Entry[]): ListCase {
  const bytes = bytesOf(entries)
  const read = entries.map(([place, number]) => ({
    hash: sha256(place).toString('base64url'),
    number: Number(number),
  }))
  return { name, bytes: bytes.toString('base64'), hash: hashOf(bytes), entries: read }
}

function noList(name: string, bytes: Buffer): ListCase {
  return { name, bytes: bytes.toString('base64'), hash: hashOf(bytes) }
}

const two = bytesOf([
  ['account:a', 1n],
  ['account:b', 2n],
])
const [low, high] = [two.subarray(0, 40), two.subarray(40)]

/** Of everything that the token of the cases names, one at a time. */
const namings = [
  'all:',
  `key:${esKey.kid}`,
  `token:${goodClaims.jti}`,
  `hub-token:${goodClaims.client_id}`,
  `account:${goodClaims.sub}`,
  `account+repository:${goodClaims.sub}/${goodClaims.repo.uid}`,
  `account+namespace:${goodClaims.sub}/acme`,
  'namespace:acme',
  `repository:${goodClaims.repo.uid}`,
  `ref:${goodClaims.ref.uid}`,
  'ref:forkuid',
  'ref:draftuid',
]

const others = [
  'account:account-of-bob',
  `token:${goodClaims.sub}`,
  `account+namespace:${goodClaims.sub}/other`,
  `account+namespace:${goodClaims.sub}/acme/bert`,
  'namespace:other',
  'namespace:acme/bert',
  `account+repository:${goodClaims.sub}/otheruid`,
  'account+repository:account-of-bob/bertuid',
  'repository:mainuid',
  'ref:bertuid',
  'ref:draftuid.part',
  'ref:refs/heads/main',
  `key:${headKeys.first.kid}`,
  'all:all',
]

export const lists: readonly ListCase[] = [
  list('empty'),
  list('ada is cut', [`account:${goodClaims.sub}`, forEver]),
  list('the first key of heads is cut', [`key:${headKeys.first.kid}`, forEver]),
  list('the second key of heads is cut', [`key:${headKeys.second.kid}`, forEver]),
  list('bob is cut now', ['account:account-of-bob', cutNow]),
  list('bob is cut before now', ['account:account-of-bob', cutNow - 1n]),
  list('a hub token is cut now', ['hub-token:lost', final + cutNow]),
  list(
    'ada and bob are cut',
    [`account:${goodClaims.sub}`, forEver],
    ['account:account-of-bob', cutNow],
  ),
  list('everything at once', ...namings.map((place): Entry => [place, asOf + 1n])),
  ...namings.map((place) => list(`${place} is cut after the token`, [place, asOf + 1n])),
  ...namings.map((place) => list(`${place} is cut at the token`, [place, asOf])),
  ...others.map((place) => list(`${place} is cut for ever`, [place, forEver])),
  noList('out of order', Buffer.concat([high, low])),
  noList('the same twice', Buffer.concat([low, low])),
  noList('a byte missing', two.subarray(0, 79)),
  noList('a byte too many', Buffer.concat([two, Buffer.alloc(1)])),
  noList('a number of 2^53', bytesOf([['account:a', 2n ** 53n]])),
  noList('a number of 2^64 - 1', bytesOf([['account:a', 2n ** 64n - 1n]])),
]

export function listNamed(name: string): ListCase {
  const found = lists.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no list ${name}`)
  return found
}

/** What a list does to the one token of these cases. */
export const deaths = [
  ...['empty', 'the first key of heads is cut'].map((name) => ({ list: name, dead: false })),
  ...['ada is cut', 'everything at once'].map((name) => ({ list: name, dead: true })),
  ...namings.map((place) => ({ list: `${place} is cut after the token`, dead: true })),
  ...namings.map((place) => ({ list: `${place} is cut at the token`, dead: false })),
  ...others.map((place) => ({ list: `${place} is cut for ever`, dead: false })),
]
