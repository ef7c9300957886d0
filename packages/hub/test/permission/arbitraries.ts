/** Arbitrary callers and repositories, small enough that grants, rules and refs often meet. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  type CommitHash,
  defaultStorage,
  type HubTokenGrant,
  hubTokenKinds,
  journalNumber,
  noJournalNumber,
  parseRevision,
  type RefName,
  type RepoRef,
  type Revision,
  roles,
  scopes,
} from '@latchkey/protocol'
import fc from 'fast-check'
import type { Caller } from '../../src/identity/caller.ts'
import type { Holder, RefFacts, RepositoryFacts } from '../../src/permission/access-facts.ts'
import type { AccessRequest } from '../../src/permission/decide-permission.ts'

export const repo: RepoRef = { type: 'model', namespace: 'acme', name: 'bert' }

const moving = ['refs/heads/main', 'refs/heads/dev', 'refs/heads/release/1', 'refs/pr/1']
const fixed = ['refs/tags/v1', 'refs/tags/main', '1'.repeat(40)]

export const arbitraryPattern = fc.constantFrom(
  'main',
  'dev',
  'release/*',
  'release/**',
  '*',
  '**',
  'm*',
  'v*',
  'refs/**',
  'refs/tags/*',
  'refs/pr/1',
  'refs/heads/*',
)

export const arbitraryGrant: fc.Arbitrary<HubTokenGrant> = fc
  .record({
    on: fc.constantFrom('models/acme/bert', 'acme/*', '*', 'models/acme/other'),
    contents: fc.constantFrom(...scopes),
    refs: fc.option(fc.array(arbitraryPattern, { maxLength: 3 }), { nil: undefined }),
  })
  .map(({ refs, ...grant }) => (refs === undefined ? grant : { ...grant, refs }))

export const arbitraryCaller: fc.Arbitrary<Caller> = fc
  .record({
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constant('fine-grained' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...hubTokenKinds, 'anonymous' as const) },
    ),
    grants: fc.array(arbitraryGrant, { maxLength: 3 }),
    administrator: fc.boolean(),
  })
  .map((made) => ({
    accountId: asAccountId('account'),
    accountName: 'someone',
    hubTokenId: asHubTokenId('hub-token'),
    ...made,
  }))

/** The account's own token, restricted by nothing. */
export function unrestricted(caller: Caller): Caller {
  return { ...caller, kind: 'write', grants: [] }
}

export const arbitraryRule = fc.record({
  pattern: arbitraryPattern,
  write: fc.constantFrom('write' as const, 'admin' as const),
})

const numbers = fc.integer({ min: 1, max: 9 }).map(journalNumber)

const arbitraryHolders: fc.Arbitrary<readonly Holder[]> = fc.subarray(moving).chain((names) =>
  fc.tuple(
    ...names.map((name) =>
      numbers.map((recordedNumber) => ({
        name: name as RefName,
        uid: asRefUid(`uid of ${name}`),
        recordedNumber,
        ancestry: [],
      })),
    ),
  ),
)

/** Some of them may have been made again since, and the ref's own name stands for none. */
const arbitraryPast = fc.subarray([...moving, 'refs/heads/gone', 'itself'], { maxLength: 2 })

export const arbitraryRef: fc.Arbitrary<RefFacts> = fc
  .tuple(fc.constantFrom(...moving, ...fixed), arbitraryHolders, arbitraryPast, numbers)
  .map(([name, holders, past, before]) => ({
    name: name as RefName,
    uid: asRefUid(`uid of ${name}`),
    commit: '1'.repeat(40) as CommitHash,
    ancestry: moving.includes(name) ? [{ uid: asRefUid('uid of refs/heads/old'), before }] : [],
    holders: moving.includes(name) ? [] : holders,
    pastHolders: moving.includes(name) ? [] : past.map((one) => (one === 'itself' ? name : one)),
  }))

/** The ways in which a client can ask for a ref. */
function revisionsOf({ name }: RefFacts): readonly Revision[] {
  const bare = name.replace(/^refs\/(?:heads|tags)\//, '')
  return [name, bare].map(parseRevision)
}

export const arbitraryRepository: fc.Arbitrary<RepositoryFacts> = fc.record({
  uid: fc.constant(asRepositoryUid('repository')),
  epoch: fc.constant(0),
  storage: fc.constant(defaultStorage),
  visibility: fc.constantFrom('public' as const, 'private' as const),
  defaultBranch: fc.constant('refs/heads/main' as RefName),
  role: fc.option(fc.constantFrom(...roles), { nil: undefined }),
  refRules: fc.array(arbitraryRule, { maxLength: 3 }),
  ref: fc.constant(undefined),
})

/** A request for a ref that is there. */
export const arbitraryWanted: fc.Arbitrary<AccessRequest & { repository: RepositoryFacts }> = fc
  .tuple(arbitraryRef, arbitraryRepository, arbitraryCaller, fc.constantFrom(...scopes))
  .chain(([ref, repository, caller, scope]) =>
    fc.constantFrom(...revisionsOf(ref)).map((revision) => ({
      caller,
      repo,
      asOf: noJournalNumber,
      repository: { ...repository, ref },
      scope,
      revision,
    })),
  )

export const arbitraryPolicy = fc.record({ hidePrivateRepositories: fc.boolean() })
