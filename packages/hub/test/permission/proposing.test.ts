/** Who may propose: a reader by a pull request of its own, and nothing else is gained by it. */

import {
  asRefUid,
  formatRepoRef,
  isRefusal,
  noCommit,
  type RefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anonymous, type Caller } from '../../src/identity/caller.ts'
import type { RefFacts, RepositoryFacts } from '../../src/permission/access-facts.ts'
import { type AccessRequest, decidePermission } from '../../src/permission/decide-permission.ts'
import { isExpiredUpload, uploadRefs } from '../../src/permission/own-refs.ts'
import { arbitraryWanted, repo } from './arbitraries.ts'

const policy = { hidePrivateRepositories: false }

const refCalled = (name: RefName): RefFacts => ({
  ...{ name, uid: asRefUid('ref'), commit: noCommit, ancestry: [], holders: [], pastHolders: [] },
})
const pullRequest = 'refs/pr/7' as RefName
const [uploads] = uploadRefs('account', 0)

/** A reader with a hub token of kind `write`. */
function proposing(base: AccessRequest, change: Partial<RepositoryFacts> = {}): AccessRequest {
  const caller: Caller = { ...base.caller, kind: 'write', grants: [] }
  const facts = { ...base.repository, role: 'read', refRules: [], ref: refCalled(pullRequest) }
  return {
    ...{ ...base, caller, repo, scope: 'write', asProposer: true },
    revision: { kind: 'ref', name: pullRequest },
    repository: { ...(facts as RepositoryFacts), ...change },
  }
}

const isPermitted = (wanted: AccessRequest) => !isRefusal(decidePermission(wanted, policy))
const withGrant = (wanted: AccessRequest, refs: readonly string[]): AccessRequest => ({
  ...wanted,
  caller: {
    ...wanted.caller,
    kind: 'fine-grained',
    grants: [{ on: formatRepoRef(repo), contents: 'write', refs: [...refs] }],
  },
})

const seen = arbitraryWanted.filter(({ repository }) => repository !== undefined)

test('a reader may, but not with a hub token that only reads or names other refs, nor against a ref rule, nor without a name', () => {
  fc.assert(
    fc.property(seen, (base) => {
      const wanted = proposing(base)
      expect(isPermitted(wanted)).toBe(true)
      expect(isPermitted({ ...wanted, asProposer: false })).toBe(false)
      expect(isPermitted({ ...wanted, caller: { ...wanted.caller, kind: 'read' } })).toBe(false)
      expect(isPermitted({ ...wanted, caller: anonymous })).toBe(false)
      expect(isPermitted(withGrant(wanted, ['main']))).toBe(false)
      expect(isPermitted(withGrant(wanted, ['refs/pr/*']))).toBe(true)
      for (const write of ['write', 'admin'] as const) {
        const refRules = [{ pattern: 'refs/pr/*', write }]
        expect(isPermitted(proposing(base, { refRules }))).toBe(false)
        expect(isPermitted(proposing(base, { refRules, role: write }))).toBe(true)
      }
      expect(isPermitted(proposing(base, { role: undefined, visibility: 'private' }))).toBe(false)
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test('a ref of the hub itself exists for nobody who names it, whatever the role', () => {
  fc.assert(
    fc.property(seen, fc.constantFrom('read', 'write'), (base, scope) => {
      const ref = refCalled(uploads)
      const revision = { kind: 'ref', name: uploads } as const
      const facts = { role: 'admin', ref } as const
      const named: AccessRequest = { ...proposing(base, facts), scope, revision, asProposer: false }
      const decision = decidePermission(named, policy)
      expect(isRefusal(decision) && decision.code).toBe('revision_not_found')
      const absent = proposing(base, { role: 'admin', ref: undefined })
      expect(decision).toEqual(
        decidePermission({ ...absent, scope, revision, asProposer: false }, policy),
      )
      expect(isPermitted(proposing(base, { ref }))).toBe(true)
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test('an upload ref serves its own week and the next, and is over then', () => {
  const week = 7 * 24 * 3600
  const now = (100 * week + 5) as UnixSeconds
  const [current, before] = uploadRefs('account', now)
  expect(uploadRefs('account', now - week)[0]).toBe(before)
  const over = uploadRefs('account', now - 2 * week)[0]
  expect([current, before, over].map((name) => isExpiredUpload(name, now))).toEqual([
    ...[false, false, true],
  ])
  expect(isExpiredUpload('refs/heads/main', now)).toBe(false)
})
