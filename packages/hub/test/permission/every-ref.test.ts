import { formatRepoRef, type RefName, type RepoRef, roles } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anonymous, type Caller } from '../../src/identity/caller.ts'
import { refuseCreation } from '../../src/permission/decide-management.ts'
import { type CarriedGrant, carriesEveryRef, carriesRef } from '../../src/permission/reach.ts'

const repo: RepoRef = { type: 'model', namespace: 'acme', name: 'bert' }
const scope = fc.constantFrom('read' as const, 'write' as const)
const pattern = fc.constantFrom(
  'main',
  '**',
  'release/*',
  'refs/**',
  'refs/tags/*',
  'refs/heads/**',
)
const carried: fc.Arbitrary<CarriedGrant> = fc
  .record({ contents: scope, refs: fc.option(fc.array(pattern), { nil: undefined }) })
  .map(({ contents, refs }) => (refs === undefined ? { contents } : { contents, refs }))
const name = fc.constantFrom('refs/heads/main', 'refs/tags/v1', 'refs/pr/1', 'refs/heads/a/b')

describe('a hub token that carries every ref', () => {
  test('carries any ref that there may be', () => {
    fc.assert(
      fc.property(fc.array(carried), scope, name, (all, wanted, ref) => {
        fc.pre(carriesEveryRef(all, wanted))
        expect(carriesRef(all, wanted, ref as RefName)).toBe(true)
      }),
    )
  })

  test('is none whose grants all name refs, whatever they name', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ contents: scope, refs: fc.array(pattern) })), (all) => {
        expect(carriesEveryRef(all, 'read')).toBe(false)
      }),
    )
  })
})

describe('a repository is created', () => {
  const caller: Caller = { ...anonymous, accountName: 'ada', kind: 'write' }

  test('by nobody without the role write in its namespace, as if the namespace were not there', () => {
    const refused = refuseCreation({ caller, repo, role: 'read' })
    expect(refused).toMatchObject({ code: 'permission_denied' })
    expect(refuseCreation({ caller, repo, role: undefined })).toEqual(refused)
    expect(refuseCreation({ caller, repo, role: 'write' })).toBe(undefined)
  })

  test.each(['read', 'admin', 'storage', 'anonymous'] as const)(
    'by no hub token of kind %s, whatever the role',
    (kind) => {
      for (const role of roles) {
        expect(refuseCreation({ caller: { ...caller, kind }, repo, role })).toBeDefined()
      }
    },
  )

  test('by a limited hub token only where a grant reaches all of it', () => {
    const limited = (on: string, more: object = {}): Caller => ({
      ...{ ...caller, kind: 'fine-grained' },
      grants: [{ on, contents: 'write', ...more }],
    })
    const role = 'admin'
    expect(refuseCreation({ caller: limited('acme/*'), repo, role })).toBe(undefined)
    expect(refuseCreation({ caller: limited(formatRepoRef(repo)), repo, role })).toBe(undefined)
    expect(refuseCreation({ caller: limited('other/*'), repo, role })).toBeDefined()
    expect(refuseCreation({ caller: limited('*', { refs: ['**'] }), repo, role })).toBeDefined()
  })
})
