/** What a refusal says to the person who asked. */

import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  defaultStorage,
  headerText,
  isRefusal,
  noJournalNumber,
  parseRevision,
  type RefName,
} from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/identity/caller.ts'
import type { RepositoryFacts } from '../../src/permission/access-facts.ts'
import { type AccessRequest, decidePermission } from '../../src/permission/decide-permission.ts'
import { isPermit } from '../../src/permission/permit.ts'
import { repo } from './arbitraries.ts'

const caller: Caller = {
  accountId: asAccountId('account'),
  accountName: 'someone',
  administrator: false,
  hubTokenId: asHubTokenId('hub-token'),
  kind: 'write',
  grants: [],
}

const repository: RepositoryFacts = {
  uid: asRepositoryUid('repository'),
  epoch: 0,
  storage: defaultStorage,
  visibility: 'public',
  defaultBranch: 'refs/heads/main' as RefName,
  role: 'read',
  refRules: [{ pattern: 'release/*', write: 'admin' }],
  ref: undefined,
}

const wanted: AccessRequest = {
  caller,
  repo,
  asOf: noJournalNumber,
  repository,
  scope: 'write',
  revision: parseRevision('main'),
}

function refusalOf(change: Partial<AccessRequest>) {
  const decision = decidePermission({ ...wanted, ...change }, { hidePrivateRepositories: false })
  expect(isPermit(decision)).toBe(false)
  return isRefusal(decision) ? decision : undefined
}

describe('what is missing is said in words that can be acted on', () => {
  const writer = { ...repository, role: 'write' } as const
  const fineGrained = (grants: Caller['grants']): Caller => ({
    ...caller,
    kind: 'fine-grained',
    grants,
  })

  test.each<readonly [string, Partial<AccessRequest>]>([
    ['the role write for main', {}],
    ['the role admin for release/1', { repository: writer, revision: parseRevision('release/1') }],
    ['the role write for refs/tags/v1', { revision: parseRevision('refs/tags/v1') }],
    [
      'a hub token of kind write (this one is of kind read)',
      { repository: writer, caller: { ...caller, kind: 'read' } },
    ],
    [
      'a grant with contents: write on this repository',
      { repository: writer, caller: fineGrained([{ on: '*', contents: 'read' }]) },
    ],
    [
      'a grant whose refs include main (for a tag or commit: every branch that holds or held it)',
      { repository: writer, caller: fineGrained([{ on: '*', contents: 'write', refs: ['dev'] }]) },
    ],
    [
      'a grant whose refs include the default branch',
      {
        repository: writer,
        revision: { kind: 'default' },
        caller: fineGrained([{ on: '*', contents: 'write', refs: ['dev'] }]),
      },
    ],
    ['a grant on this repository', { caller: fineGrained([]) }],
    [
      'a hub token of kind read, write or fine-grained (an admin token is no storage credential)',
      { caller: { ...caller, kind: 'admin' } },
    ],
  ])('%s', (missing, change) => {
    const refusal = refusalOf(change)
    expect(refusal).toMatchObject({ code: 'permission_denied', missing })
    expect(refusal?.detail).toMatch(/^This hub token may not have a (read|write) token here: /)
    expect(refusal?.detail).toContain(`this needs ${missing}.`)
  })

  test('with the scope that was asked for', () => {
    expect(refusalOf({})?.detail).toContain('a write token')
  })
})

describe('a refusal is one sentence or two, and says what to do', () => {
  test('where the repository does not exist', () => {
    expect(refusalOf({ repository: undefined })?.detail).toBe(
      'There is no such repository. Check its type, namespace and name, and their upper and lower case.',
    )
  })

  test('where the revision does not exist', () => {
    expect(refusalOf({ repository: { ...repository, role: 'write' } })?.detail).toBe(
      'There is no such revision in this repository. Name a branch, a tag or a full commit hash.',
    )
  })

  test('where the hub token gives no access at all', () => {
    const hidden = { ...repository, visibility: 'private', role: undefined } as const
    expect(refusalOf({ repository: hidden })?.detail).toBe(
      'This hub token gives no access to this repository.',
    )
  })
})

describe('a refusal stays short, because it also travels in a header', () => {
  test.each([
    ['letters', 'a'.repeat(60_000)],
    ['characters that need encoding', '🗝'.repeat(5000)],
    ['a full name', `refs/heads/${'a'.repeat(60_000)}`],
  ])('however long the revision asked for is: %s', (_, text) => {
    const grants = [{ on: '*', contents: 'write', refs: ['main'] }] as const
    const restricted: Caller = { ...caller, kind: 'fine-grained', grants }
    const asked = { revision: parseRevision(text), caller: restricted }
    expect(headerText(refusalOf(asked)?.detail ?? '').length).toBeLessThan(4096)
    expect(
      headerText(refusalOf({ revision: parseRevision(text) })?.detail ?? '').length,
    ).toBeLessThan(4096)
  })
})
