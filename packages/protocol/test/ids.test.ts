/** Ids: which of them a hub can make, and that no kind passes for another. */

import { describe, expect, test } from 'vitest'
import {
  type AccountId,
  anonymousAccountId,
  anonymousHubTokenId,
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type HubTokenId,
  idFromBytes,
  idLength,
  idOfNoAccount,
  idPattern,
  isId,
  isProposalUid,
  noAccountId,
  noHubTokenId,
  noRepositoryUid,
  parseHubTokenId,
  proposalUid,
  proposalUidRange,
  type RefUid,
  type RepositoryUid,
  refSegment,
  refUidPattern,
  supposedHubTokenId,
  unwrittenUid,
} from '../src/ids.ts'
import { storageAddress } from '../src/service-url.ts'

/** So many that every byte is the first of one. */
const made: readonly string[] = Array.from({ length: 256 }, (_, first) =>
  idFromBytes(Uint8Array.from({ length: idLength }, (_, at) => first + at)),
)

describe('no id that a hub makes', () => {
  test('has another form than the pattern says', () => {
    for (const id of made) expect(id).toMatch(idPattern)
    expect(new Set(made.join('')).size).toBe(32)
  })

  test('is one of the special ids', () => {
    const special = [
      ...[anonymousAccountId, anonymousHubTokenId, supposedHubTokenId],
      ...[noAccountId, noHubTokenId, noRepositoryUid],
      ...['', ...made].flatMap((id) => [
        idOfNoAccount(asAccountId(id)),
        unwrittenUid(asRefUid(id)),
        refSegment(asRefUid(id), 1),
        proposalUid(asRepositoryUid(id), asRefUid(id)),
      ]),
    ]
    for (const id of special) expect(id).not.toMatch(idPattern)
  })
})

test('the id of no account begins like the account’s own and sorts before it', () => {
  for (const id of made) {
    const other = idOfNoAccount(asAccountId(id))
    expect(other < id).toBe(true)
    expect(other.slice(0, -1)).toBe(id.slice(0, -1))
  }
})

test('the uids of what readers bring are beside each other, and no other repository has one among them', () => {
  for (const id of made) {
    const [repository, uid] = [asRepositoryUid(id), asRefUid(id)]
    const proposal = proposalUid(repository, uid)
    const [first, last] = proposalUidRange(repository)
    expect(first < proposal && proposal < last).toBe(true)
    expect([isProposalUid(repository, proposal), isProposalUid(repository, uid)]).toEqual([
      true,
      false,
    ])
    for (const text of [uid, proposal]) expect(text).toMatch(refUidPattern)
    const all = made.map((text) => proposalUid(asRepositoryUid(text), uid))
    const between = all.filter((other) => first < other && other < last)
    expect(new Set(between)).toEqual(new Set([proposal]))
  }
})

test.each(['', 'anonymous', 'a'.repeat(25), 'a'.repeat(27), 'A'.repeat(26), `${'a'.repeat(26)}\n`])(
  '%j is no hub token id in a list’s cursor',
  (text) => {
    expect(parseHubTokenId(text)).toBeUndefined()
  },
)

test.each([undefined, null, 7, '', {}, ['a']])('%j is no id in a claim', (value) => {
  expect(isId(value)).toBe(false)
})

test('a cursor and a claim hold the ids that a hub makes', () => {
  for (const id of made) expect([parseHubTokenId(id), isId(id)]).toEqual([id, true])
})

test('the special ids are spelt as tokens and logs have them', () => {
  expect([anonymousAccountId, anonymousHubTokenId]).toEqual(['anonymous', 'anonymous'])
  expect([noAccountId, noHubTokenId, noRepositoryUid]).toEqual(['', '', ''])
  expect(supposedHubTokenId).toBe('supposed')
})

test('text from outside stays as it is, so an empty id is compared too', () => {
  for (const text of ['', 'a', 'a-1', 'a.part']) {
    const ids = [asRepositoryUid(text), asRefUid(text), asAccountId(text), asHubTokenId(text)]
    expect(ids).toEqual([text, text, text, text])
  }
})

/** For the compiler: it refuses an expected error that does not come. */
test('no kind of id passes for another, and no text passes for an id', () => {
  const [repositoryUid, refUid] = [asRepositoryUid('r'), asRefUid('f')]
  const [accountId, hubTokenId] = [asAccountId('a'), asHubTokenId('t')]
  const { urlFor } = storageAddress('https://cas.example/{repo}/{ref}')
  expect(urlFor(repositoryUid, refUid)).toBe('https://cas.example/r/f')
  // @ts-expect-error the two uids are swapped
  expect(urlFor(refUid, repositoryUid)).toBe('https://cas.example/f/r')
  // @ts-expect-error a ref's uid is no repository's
  const repository: RepositoryUid = refUid
  // @ts-expect-error a repository's uid is no ref's
  const ref: RefUid = repositoryUid
  // @ts-expect-error a hub token's id is no account's
  const account: AccountId = hubTokenId
  // @ts-expect-error an account's id is no hub token's
  const hubToken: HubTokenId = accountId
  // @ts-expect-error text is no id before it is parsed
  const text: AccountId = 'a'
  // @ts-expect-error an id of another kind is no text from outside
  expect(asRefUid(repositoryUid)).toBe('r')
  // @ts-expect-error two kinds have no id in common
  expect(repositoryUid === refUid).toBe(false)
  // @ts-expect-error two kinds have no id in common
  expect(accountId === hubTokenId).toBe(false)
  expect([repository, ref, account, hubToken, text]).toEqual(['f', 'r', 't', 'a', 'a'])
})
