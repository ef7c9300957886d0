/** What is looked up for a request, and for whom. */

import {
  asAccountId,
  asRefUid,
  journalNumber,
  parseRevision,
  type Revision,
  type Role,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { describe, expect, test } from 'vitest'
import { accessOf } from '../../src/access/find-access.ts'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import type { CallerRecord } from '../../src/identity/caller.ts'
import { closedRepository } from '../../src/permission/access-facts.ts'
import {
  branch,
  commit,
  fakeStore,
  first,
  heldBy,
  now,
  record,
  ref,
  repo,
  repository,
} from './fake-store.ts'

const bert = repo('models/acme/bert')
const revision: Revision = parseRevision(commit)
const asked = (accountId: string | undefined) => `bert for ${accountId}: {"commit":"${commit}"}`

async function questionsOf(caller: CallerRecord | undefined, hubTokenHash: string | undefined) {
  const store = fakeStore()
  store.answers = { version: first, repository, ...(caller && { caller }) }
  await accessOf(store).findAccess({ now, hubTokenHash, repo: bert, revision })
  return store.asked()
}

describe('no repository is looked up', () => {
  test.each<readonly [string, CallerRecord | undefined]>([
    ['nobody has', undefined],
    ['is revoked', { ...record, revokedAt: unixSeconds(now - 1) }],
    ['has expired', { ...record, expiresAt: now }],
    ['belongs to a disabled account', { ...record, accountDisabled: true }],
  ])('for a hub token that %s', async (_, caller) => {
    expect(await questionsOf(caller, 'hash')).toEqual(['caller hash'])
  })

  test('where no repository can have the name', async () => {
    const store = fakeStore()
    const question = { now, hubTokenHash: 'hash', repo: undefined, revision }
    const found = await accessOf(store).findAccess(question)
    expect(found).toMatchObject({ caller: record, repository: undefined })
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('for a hub token that was cached before it expired', async () => {
    const store = fakeStore()
    store.answers.caller = { ...record, expiresAt: unixSeconds(now + 1) }
    const { findAccess } = accessOf(store)
    const at = (moment: UnixSeconds) =>
      findAccess({ now: moment, hubTokenHash: 'hash', repo: bert, revision })
    expect((await at(now)).repository).toBeDefined()
    expect((await at(unixSeconds(now + 1))).repository).toBeUndefined()
  })
})

describe('the repository is looked up', () => {
  const granting = (on: string): CallerRecord => ({
    ...record,
    kind: 'fine-grained',
    grants: [{ on, contents: 'read' }],
  })

  test.each<readonly [string, string | undefined, CallerRecord]>([
    ['for the account of the hub token', 'account', record],
    ['for the account where a grant names it', 'account', granting('models/acme/bert')],
    ['without an account where no grant names it', undefined, granting('models/acme/other')],
    ['without an account for an admin hub token', undefined, { ...record, kind: 'admin' }],
  ])('%s', async (_, accountId, caller) => {
    expect(await questionsOf(caller, 'hash')).toEqual(['caller hash', asked(accountId)])
  })

  test('for an anonymous caller after no question about a hub token', async () => {
    expect(await questionsOf(record, undefined)).toEqual([asked('anonymous')])
  })

  test('apart for a hub token that reaches it and one of the same account that does not', async () => {
    const store = fakeStore()
    const { findAccess } = accessOf(store)
    await findAccess({ now, hubTokenHash: 'wide', repo: bert, revision })
    store.answers = { version: first, caller: granting('acme/other'), repository: 'hidden' }
    const narrow = await findAccess({ now, hubTokenHash: 'narrow', repo: bert, revision })
    expect(narrow.repository).toBe(closedRepository)
  })
})

describe('what the rows of a repository mean', () => {
  async function repositoryOf(found: ReturnType<typeof fakeStore>['answers']['repository']) {
    const store = fakeStore()
    store.answers.repository = found
    return repositoryFinder(store, systemClock)(asAccountId('account'), bert, revision)
  }

  test('a hidden repository is closed, and an absent one is none', async () => {
    expect(await repositoryOf('hidden')).toBe(closedRepository)
    expect(await repositoryOf('absent')).toBeUndefined()
  })

  test.each<readonly [Role | null, Role | null, Role | undefined]>([
    ['read', 'write', 'write'],
    ['admin', 'write', 'admin'],
    [null, 'read', 'read'],
    ['read', null, 'read'],
    [null, null, undefined],
  ])('of the roles %s and %s the stronger counts', async (memberRole, collaboratorRole, role) => {
    const found = await repositoryOf({ ...repository, memberRole, collaboratorRole })
    expect(found?.role).toBe(role)
  })

  test('a tag wins over a branch of the same name', async () => {
    const { fixed } = heldBy(1)
    const found = await repositoryOf({ ...repository, fixed, moving: branch })
    expect(found?.ref?.name).toBe('refs/tags/v1')
  })

  test('a revision that is neither a tag nor a branch nor a commit is no ref', async () => {
    expect((await repositoryOf({ ...repository, moving: undefined }))?.ref).toBeUndefined()
  })

  test.each<readonly [string, object]>([
    [commit, { commit }],
    ['v1', { tag: 'refs/tags/v1', moving: 'refs/heads/v1' }],
    ['refs/tags/v1', { tag: 'refs/tags/v1' }],
    ['refs/heads/v1', { moving: 'refs/heads/v1' }],
    ['refs/pr/1', { moving: 'refs/pr/1' }],
    ['a..b', {}],
  ])('the revision %s is looked up by the names %j', async (text, names) => {
    const store = fakeStore()
    await repositoryFinder(store, systemClock)(asAccountId('account'), bert, parseRevision(text))
    expect(store.asked()).toEqual([`bert for account: ${JSON.stringify(names)}`])
  })
})

describe('the rows of a ref', () => {
  const fork = (uid: string, fromUid: string, forkedNumber: number) => ({
    uid: asRefUid(uid),
    fromUid: asRefUid(fromUid),
    forkedNumber: journalNumber(forkedNumber),
  })

  async function refOf(part: Partial<typeof repository>) {
    const store = fakeStore()
    store.answers.repository = { ...repository, ...part }
    return (await repositoryFinder(store, systemClock)(undefined, bert, revision))?.ref
  }

  test('of a branch give its origins, each before the earliest fork on the way', async () => {
    const forks = [fork('ref', 'a', 20), fork('a', 'b', 30), fork('b', 'c', 10)]
    expect((await refOf({ moving: { ...branch, forks } }))?.ancestry).toEqual([
      { uid: 'a', before: 20 },
      { uid: 'b', before: 20 },
      { uid: 'c', before: 10 },
    ])
  })

  test('of a branch give no more than eight origins, also in a circle', async () => {
    const forks = [fork('ref', 'a', 1), fork('a', 'ref', 1)]
    expect((await refOf({ moving: { ...branch, forks } }))?.ancestry).toHaveLength(8)
  })

  test('of a tag that no ref holds or held give neither', async () => {
    const fixed = { ...fixedTag(), holders: [] }
    expect(await refOf({ fixed })).toMatchObject({ holders: [], pastHolders: [] })
  })

  test('of a tag name the tag for a time without a holder, and deleted refs by name', async () => {
    const fixed = { ...fixedTag(), pastHolders: [commit, 'refs/heads/gone'] }
    expect((await refOf({ fixed }))?.pastHolders).toEqual(['refs/tags/v1', 'refs/heads/gone'])
  })

  test('of a tag give each holder its own origins before it came to hold the commit', async () => {
    const forks = [fork('holder-0', 'ref', 50)]
    const [holder] = (await refOf({ fixed: { ...fixedTag(), forks } }))?.holders ?? []
    expect(holder?.ancestry).toEqual([{ uid: 'ref', before: 50 }])
  })

  test('of a tag put the first holder first, then the default branch, then the oldest', async () => {
    const names = ['first', 'young', 'old', 'main']
    const holders = names.map((name, index) => ({
      uid: asRefUid(name),
      name: ref(`refs/heads/${name}`),
      recordedNumber: journalNumber(1),
      refPosition: name === 'old' ? 1 : 10 + index,
    }))
    const found = await refOf({ fixed: { ...fixedTag(), holders } })
    expect(found?.holders.map(({ uid }) => uid)).toEqual(['first', 'main', 'old', 'young'])
  })

  function fixedTag() {
    const { fixed } = heldBy(1)
    if (fixed === undefined) throw new Error('there is no tag')
    return fixed
  }
})
