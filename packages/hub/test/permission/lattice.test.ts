/** The order among decisions: nothing is gained by holding less. */

import {
  asRefUid,
  type HubTokenGrant,
  isRefusal,
  roles,
  scopes,
  unwrittenUid,
} from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import type { SeenRef } from '@latchkey/token'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/identity/caller.ts'
import {
  type AccessRequest,
  decidePermission,
  type Policy,
} from '../../src/permission/decide-permission.ts'
import {
  arbitraryPattern,
  arbitraryPolicy,
  arbitraryRule,
  arbitraryWanted,
  unrestricted,
} from './arbitraries.ts'

const numRuns = rounds(200, 10_000)
const open: Policy = { hidePrivateRepositories: false }

/** What a decision opens: undefined when it opens nothing. */
function opened(wanted: AccessRequest) {
  const decision = decidePermission(wanted, open)
  return isRefusal(decision) ? undefined : decision.permitted
}

function isWithin(sees: readonly SeenRef[], wider: readonly SeenRef[]): boolean {
  return sees.every(({ uid, before }) =>
    wider.some((other) => other.uid === uid && other.before >= before),
  )
}

/** Whatever the narrower request opens, the wider one opens too. */
function expectNoMore(narrower: AccessRequest, wider: AccessRequest): void {
  const less = opened(narrower)
  if (less === undefined) return
  const more = opened(wider)
  expect(more).toMatchObject({ ref: { name: less.ref.name }, commit: less.commit })
  // A uid under which nothing is written is less than the ref's own.
  const own = wider.repository?.ref?.uid ?? asRefUid('')
  expect([own, unwrittenUid(own)]).toContain(less.ref.uid)
  if (less.ref.uid === own) expect(more?.ref.uid).toBe(own)
  expect(isWithin(less.sees, more?.sees ?? [])).toBe(true)
}

describe('no decision grants more than the account has', () => {
  test('a write token needs a role that writes', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const permitted = opened({ ...wanted, scope: 'write' })
        if (permitted !== undefined) expect(['write', 'admin']).toContain(wanted.repository.role)
      }),
      { numRuns },
    )
  })

  test('a private repository needs a role', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const repository = { ...wanted.repository, visibility: 'private', role: undefined } as const
        expect(opened({ ...wanted, repository })).toBeUndefined()
      }),
      { numRuns },
    )
  })

  test('a write token for what a rule gives to admins needs the role admin', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const refRules = [{ pattern: 'refs/**', write: 'admin' }] as const
        const repository = { ...wanted.repository, refRules }
        const { ref } = repository
        fc.pre(ref?.name.startsWith('refs/') || (ref?.holders.length ?? 0) > 0)
        const permitted = opened({ ...wanted, repository, scope: 'write' })
        if (permitted !== undefined) expect(repository.role).toBe('admin')
      }),
      { numRuns },
    )
  })

  // conformance: Guarantees / A hub token never gives more access than its account has
  test('what a hub token opens, a write token of the same account opens too', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        expectNoMore(wanted, { ...wanted, caller: unrestricted(wanted.caller) })
      }),
      { numRuns },
    )
  })

  test('an admin token opens nothing', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        expect(opened({ ...wanted, caller: { ...wanted.caller, kind: 'admin' } })).toBeUndefined()
      }),
      { numRuns },
    )
  })
})

// conformance: Guarantees / Write access includes read access, and never the reverse
test('who may write may read, and sees the same', () => {
  fc.assert(
    fc.property(arbitraryWanted, (wanted) => {
      const writing = opened({ ...wanted, scope: 'write' })
      if (writing === undefined) return
      expect(opened({ ...wanted, scope: 'read' })).toEqual({ ...writing, scope: 'read' })
    }),
    { numRuns },
  )
})

type Narrow = (grant: HubTokenGrant) => HubTokenGrant

const narrowings = fc.oneof(
  fc.constant<Narrow>((grant) => ({ ...grant, contents: 'read' })),
  fc.constant<Narrow>((grant) => ({ ...grant, on: 'models/acme/other' })),
  fc.constant<Narrow>((grant) => ({ ...grant, refs: grant.refs?.slice(1) ?? [] })),
  arbitraryPattern.map<Narrow>(
    (pattern) => (grant) =>
      grant.refs === undefined
        ? { ...grant, refs: [pattern] }
        : { ...grant, refs: grant.refs.filter((kept) => kept !== pattern) },
  ),
)

function narrowed(caller: Caller, narrow: Narrow): Caller {
  const [first, ...others] = caller.grants
  return first === undefined ? caller : { ...caller, grants: [narrow(first), ...others] }
}

describe('adding a restriction never opens anything', () => {
  test('to a grant', () => {
    fc.assert(
      fc.property(arbitraryWanted, narrowings, (wanted, narrow) => {
        const caller: Caller = { ...wanted.caller, kind: 'fine-grained' }
        expectNoMore({ ...wanted, caller: narrowed(caller, narrow) }, { ...wanted, caller })
      }),
      { numRuns },
    )
  })

  test('by taking a grant away', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const fewer = { ...wanted.caller, grants: wanted.caller.grants.slice(1) }
        expectNoMore({ ...wanted, caller: fewer }, wanted)
      }),
      { numRuns },
    )
  })

  test('by a rule that leaves a ref to admins', () => {
    fc.assert(
      fc.property(arbitraryWanted, arbitraryRule, fc.boolean(), (wanted, rule, last) => {
        const strict = { ...rule, write: 'admin' } as const
        const { refRules } = wanted.repository
        const stricter = last ? [...refRules, strict] : [strict, ...refRules]
        expectNoMore(
          { ...wanted, repository: { ...wanted.repository, refRules: stricter } },
          wanted,
        )
      }),
      { numRuns },
    )
  })

  test('by a lower role', () => {
    const twoRoles = fc.tuple(fc.nat(2), fc.nat(2)).map((pair) => pair.toSorted())
    fc.assert(
      fc.property(arbitraryWanted, twoRoles, (wanted, [low = 0, high = 0]) => {
        const withRole = (at: number) => ({
          ...wanted,
          repository: { ...wanted.repository, role: roles[at] },
        })
        expectNoMore(withRole(low), withRole(high))
      }),
      { numRuns },
    )
  })

  test('by making a repository private', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const seen = (visibility: 'public' | 'private') => ({
          ...wanted,
          repository: { ...wanted.repository, visibility },
        })
        expectNoMore(seen('private'), seen('public'))
      }),
      { numRuns },
    )
  })

  test('by one more ref that holds a commit, as far as writing goes', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const { ref } = wanted.repository
        fc.pre(ref !== undefined && ref.holders.length > 1)
        if (ref === undefined) return
        const fewer = { ...wanted.repository, ref: { ...ref, holders: ref.holders.slice(1) } }
        const writing = { ...wanted, scope: 'write' } as const
        if (opened(writing) === undefined) return
        expect(opened({ ...writing, repository: fewer })).toBeDefined()
      }),
      { numRuns },
    )
  })
})

describe('the deletion of a ref that held a commit', () => {
  /** Before: one more ref holds the commit, made after all others. */
  const deletions = fc.tuple(arbitraryWanted, fc.constantFrom(...scopes)).map(([wanted, scope]) => {
    const { repository } = wanted
    const ref = repository.ref
    const [last] = ref?.holders.slice(-1) ?? []
    if (ref === undefined || last === undefined) return undefined
    const holders = ref.holders.slice(0, -1)
    const pastHolders = [...ref.pastHolders, last.name]
    const after = { ...repository, ref: { ...ref, holders, pastHolders } }
    return { before: { ...wanted, scope }, after: { ...wanted, scope, repository: after } }
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('opens nothing: neither writing, nor what was written under the commit, nor more to see', () => {
    fc.assert(
      fc.property(deletions, (deletion) => {
        fc.pre(deletion !== undefined)
        expectNoMore(deletion.after, deletion.before)
      }),
      { numRuns },
    )
  })

  test('leaves nothing to see of that ref', () => {
    fc.assert(
      fc.property(deletions, (deletion) => {
        fc.pre(deletion !== undefined)
        const { before, after } = deletion
        const gone = before.repository.ref?.holders.at(-1)?.uid
        expect(opened(after)?.sees.map(({ uid }) => uid) ?? []).not.toContain(gone)
      }),
      { numRuns },
    )
  })
})

// conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
test('a write token is for the uid of its ref, never for one under which nothing is written', () => {
  fc.assert(
    fc.property(arbitraryWanted, (wanted) => {
      const writing = opened({ ...wanted, scope: 'write' })
      if (writing !== undefined) expect(writing.ref.uid).toBe(wanted.repository.ref?.uid)
    }),
    { numRuns },
  )
})

describe('a decision', () => {
  test('comes out the same, in whatever order rules and grants stand', () => {
    fc.assert(
      fc.property(arbitraryWanted, arbitraryPolicy, (wanted, policy) => {
        const { caller, repository } = wanted
        const reversed: AccessRequest = {
          ...wanted,
          caller: { ...caller, grants: caller.grants.toReversed() },
          repository: { ...repository, refRules: repository.refRules.toReversed() },
        }
        const one = decidePermission(wanted, policy)
        const other = decidePermission(reversed, policy)
        if (isRefusal(one) || isRefusal(other)) expect(other).toEqual(one)
        else expect({ ...other.permitted, caller }).toEqual(one.permitted)
      }),
      { numRuns },
    )
  })
})
