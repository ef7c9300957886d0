/** What a refusal does not tell: hidden and absent are the same. */

import { asRefUid, isRefusal, type RefName, refuse } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  closedRepository,
  type RefFacts,
  type RepositoryFacts,
} from '../../src/permission/access-facts.ts'
import { type AccessRequest, decidePermission } from '../../src/permission/decide-permission.ts'
import { everHolding } from '../../src/permission/reach.ts'
import { arbitraryPolicy, arbitraryWanted } from './arbitraries.ts'

const numRuns = rounds(200, 10_000)
const hiding = { hidePrivateRepositories: true }

function decide(wanted: AccessRequest, policy = { hidePrivateRepositories: false }) {
  return decidePermission(wanted, policy)
}

describe('without permission to read', () => {
  test('a ref that exists and one that does not give the same answer, for reading and writing', () => {
    fc.assert(
      fc.property(arbitraryWanted, arbitraryPolicy, (wanted, policy) => {
        fc.pre(isRefusal(decide({ ...wanted, scope: 'read' })))
        const absent = { ...wanted.repository, ref: undefined }
        expect(decide(wanted, policy)).toEqual(decide({ ...wanted, repository: absent }, policy))
      }),
      { numRuns },
    )
  })

  // conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
  test('no refusal names a ref that was not asked for', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const decision = decide(wanted)
        if (!isRefusal(decision)) return
        const { caller, repository } = wanted
        const unreadable = everHolding(repository.ref ?? { holders: [], pastHolders: [] })
          .filter((name) => {
            const alone = { uid: asRefUid(name), ancestry: [], holders: [], pastHolders: [] }
            const branch = { ...repository.ref, ...alone, name: name as RefName }
            const asked = {
              ...wanted,
              scope: 'read',
              repository: { ...repository, ref: branch as RefFacts },
            } as AccessRequest
            return isRefusal(decide({ ...asked, caller }))
          })
          .filter((name) => name !== repository.ref?.name)
          .map((name) => name.replace('refs/heads/', ''))
          .filter((short) => short !== 'main')
        for (const name of unreadable) expect(decision.detail).not.toContain(name)
      }),
      { numRuns },
    )
  })

  test('nobody is told what is missing in a private repository out of reach', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const repository = { ...wanted.repository, visibility: 'private', role: undefined } as const
        const decision = decide({ ...wanted, repository })
        expect(decision).toEqual(refuse('permission_denied', expect.any(String)))
      }),
      { numRuns },
    )
  })
})

describe('where private repositories are hidden', () => {
  test('one without a role for the account is absent', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const repository = { ...wanted.repository, visibility: 'private', role: undefined } as const
        expect(decide({ ...wanted, repository }, hiding)).toEqual(
          decide({ ...wanted, repository: undefined }, hiding),
        )
      }),
      { numRuns },
    )
  })

  // conformance: Attacks / 42. An attacker detects a hidden repository by response times
  test('an absent one is judged by the same steps as one without a role', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const readOf = (repository: RepositoryFacts | undefined) => {
          const read: PropertyKey[] = []
          const caller = new Proxy(wanted.caller, {
            get(target, property) {
              read.push(property)
              return Reflect.get(target, property)
            },
          })
          decide({ ...wanted, caller, repository }, hiding)
          return read
        }
        expect(readOf(undefined)).toEqual(readOf(closedRepository))
        expect(readOf(undefined)).not.toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  test('one that the hub token does not reach is absent', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const caller = { ...wanted.caller, kind: 'fine-grained', grants: [] } as const
        const repository = { ...wanted.repository, visibility: 'private' } as const
        expect(decide({ ...wanted, caller, repository }, hiding)).toEqual(
          decide({ ...wanted, repository: undefined }, hiding),
        )
      }),
      { numRuns },
    )
  })

  test('everything else is answered as where they are not', () => {
    fc.assert(
      fc.property(arbitraryWanted, (wanted) => {
        const shown = decide(wanted)
        const hidden = decide(wanted, hiding)
        if (isRefusal(hidden) && hidden.code === 'repository_not_found') {
          expect(shown).toMatchObject({ code: 'permission_denied' })
          expect(wanted.repository.visibility).toBe('private')
        } else if (isRefusal(hidden)) expect(hidden).toEqual(shown)
        else expect(isRefusal(shown)).toBe(false)
      }),
      { numRuns },
    )
  })
})

test('a repository whose name is impossible does not exist', () => {
  fc.assert(
    fc.property(arbitraryWanted, arbitraryPolicy, (wanted, policy) => {
      expect(decide({ ...wanted, repo: undefined }, policy)).toMatchObject({
        code: 'repository_not_found',
      })
    }),
    { numRuns: 50 },
  )
})
