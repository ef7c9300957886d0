/** The steps of a decision, as they are told to whoever wants it explained. */

import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  defaultStorage,
  journalNumber,
  noJournalNumber,
  parseRevision,
  type RefName,
} from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/identity/caller.ts'
import type { RefFacts, RepositoryFacts } from '../../src/permission/access-facts.ts'
import { type AccessRequest, decidePermission } from '../../src/permission/decide-permission.ts'
import { repo } from './arbitraries.ts'

const main = {
  name: 'refs/heads/main',
  uid: 'u-main',
  commit: '1'.repeat(40),
  ancestry: [],
  holders: [],
  pastHolders: [],
} as unknown as RefFacts

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
  visibility: 'private',
  defaultBranch: 'refs/heads/main' as RefName,
  role: 'write',
  refRules: [{ pattern: 'release/*', write: 'admin' }],
  ref: main,
}

const wanted: AccessRequest = {
  caller,
  repo,
  asOf: noJournalNumber,
  repository,
  scope: 'write',
  revision: parseRevision('main'),
}

function stepsOf(change: Partial<AccessRequest>): string[] {
  const steps: string[] = []
  const policy = { hidePrivateRepositories: false }
  decidePermission({ ...wanted, ...change }, policy, (step, passed, detail) => {
    steps.push(`${passed ? 'yes' : 'NO'} ${step}: ${detail()}`)
  })
  return steps
}

describe('the last step told is the one that refuses', () => {
  test('for an impossible name', () => {
    expect(stepsOf({ repo: undefined, repository: undefined })).toEqual([
      'NO repository: no repository can have this name',
    ])
  })

  test('for no repository', () => {
    expect(stepsOf({ repository: undefined })).toEqual([
      'NO repository: models/acme/bert does not exist',
    ])
  })

  test('for an account without a role', () => {
    expect(stepsOf({ repository: { ...repository, role: undefined } })).toEqual([
      'yes repository: models/acme/bert exists',
      'NO account: someone has no role here and the repository is private',
    ])
  })

  test('for a hub token that does not reach the repository', () => {
    expect(stepsOf({ caller: { ...caller, kind: 'admin' } })).toEqual([
      'yes repository: models/acme/bert exists',
      'yes account: someone has the role write; the repository is private',
      'NO hub token: this admin hub token does not reach this repository',
    ])
  })

  test('for a role too low for the ref', () => {
    const steps = stepsOf({
      revision: parseRevision('release/1'),
      repository: { ...repository, ref: undefined },
    })
    expect(steps.at(-1)).toBe(
      'NO role: write needs the role admin for release/1; the account has write',
    )
  })

  test('for a role too low for a ref that holds the commit', () => {
    const name = 'refs/heads/release/1' as RefName
    const holders = [{ name, uid: 'u', recordedNumber: journalNumber(1), ancestry: [] }]
    const ref = { ...main, name: '1'.repeat(40), holders } as unknown as RefFacts
    const steps = stepsOf({
      revision: parseRevision('1'.repeat(40)),
      repository: { ...repository, ref },
    })
    expect(steps.at(-1)).toBe(
      'NO role: write needs the role admin for release/1, which holds or held it; the account has write',
    )
  })

  test('for a hub token of the wrong kind', () => {
    expect(stepsOf({ caller: { ...caller, kind: 'read' } }).at(-1)).toBe(
      'NO grant: this needs a hub token of kind write (this one is of kind read)',
    )
  })

  test('for grants that only read', () => {
    const grants = [{ on: '*', contents: 'read' }] as const
    expect(stepsOf({ caller: { ...caller, kind: 'fine-grained', grants } }).at(-1)).toBe(
      'NO grant: this needs a grant with contents: write on this repository',
    )
  })

  test('for grants on other refs', () => {
    const grants = [{ on: '*', contents: 'write', refs: ['dev'] }] as const
    expect(stepsOf({ caller: { ...caller, kind: 'fine-grained', grants } }).at(-1)).toBe(
      'NO grant: this needs a grant whose refs include main (for a tag or commit: every branch that holds or held it)',
    )
  })

  test('for no revision', () => {
    expect(stepsOf({ repository: { ...repository, ref: undefined } }).at(-1)).toBe(
      'NO revision: no such revision',
    )
  })
})

describe('a token that leaves out what was written under its commit tells why', () => {
  const name = '1'.repeat(40)
  const read = [{ on: '*', contents: 'read', refs: ['main'] }] as const
  const revisionOf = (pastHolders: readonly string[]) => {
    const holders = [
      { name: 'refs/heads/main', uid: 'u', recordedNumber: journalNumber(1), ancestry: [] },
    ]
    const ref = { ...main, name, holders, pastHolders } as unknown as RefFacts
    return stepsOf({
      ...{ scope: 'read', caller: { ...caller, kind: 'fine-grained', grants: read } },
      revision: parseRevision(name),
      repository: { ...repository, ref },
    }).at(-1)
  }

  test.each([
    [[], `yes revision: ${name}`],
    [['refs/heads/main'], `yes revision: ${name}`],
    [
      ['refs/heads/secret'],
      `yes revision: ${name}, without what was written under it alone: the hub token may not read secret, which holds or held it`,
    ],
    [
      [name],
      `yes revision: ${name}, without what was written under it alone: it was once held by no known branch`,
    ],
  ])('past holders %j', (pastHolders, step) => {
    expect(revisionOf(pastHolders)).toBe(step)
  })
})

test('every step of a yes is told, each passed', () => {
  const steps = stepsOf({})
  expect(steps.toSorted()).toEqual([
    'yes account: someone has the role write; the repository is private',
    'yes grant: the hub token carries write on main',
    'yes hub token: a write hub token reaches this repository',
    'yes repository: models/acme/bert exists',
    'yes revision: refs/heads/main',
    'yes role: write needs the role write for main; the account has write',
  ])
  expect(steps.at(0)).toMatch(/repository:/)
  expect(steps.at(-1)).toMatch(/revision:/)
})

test('a reader of what is public has the role read, which is what reading needs', () => {
  const shown = { ...repository, visibility: 'public', role: undefined } as const
  const steps = stepsOf({ scope: 'read', repository: shown })
  expect(steps).toContain('yes account: someone has the role read; the repository is public')
  expect(steps).toContain('yes role: read needs the role read for main; the account has read')
})
