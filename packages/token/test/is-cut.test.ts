import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
} from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { cutOffHash, forEver, isRevokedBy, type Revocable } from '../src/index.ts'

const token: Revocable = {
  kid: 'kid',
  tokenId: 'jti',
  hubToken: asHubTokenId('hub-token'),
  subject: asAccountId('account'),
  repositoryUid: asRepositoryUid('repository'),
  namespace: 'acme',
  refUids: [asRefUid('ref')],
  asOf: journalNumber(100),
}

const listOf = (number: number) =>
  new Map([[cutOffHash({ kind: 'key', id: 'kid' }), journalNumber(number)]])

test('a token is dead below the number of what it names, and alive from it on', () => {
  expect(isRevokedBy(token, listOf(101))).toBe(true)
  expect(isRevokedBy(token, listOf(100))).toBe(false)
})

test('what is cut for ever is dead, whatever number the holder of a leaked key writes', () => {
  for (const asOf of [0, 100, forEver - 1, forEver]) {
    expect(
      isRevokedBy({ ...token, asOf: journalNumber(asOf) }, listOf(forEver)),
      String(asOf),
    ).toBe(true)
  }
})

test('a token whose as_of is not a number is dead below every entry', () => {
  expect(isRevokedBy({ ...token, asOf: Number.NaN }, listOf(101))).toBe(true)
})
