/** Groups of identity providers that a team names. */

import { isRefusal } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { vouch } from '../sign-in/by-groups.ts'
import { type Answer, hash, openDirectory, start } from './open-directory.ts'

const file = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', teams: { staff: { role: 'write' } } }, { name: 'beta' }],
  repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(1) } }],
}
const staff = { namespace: 'acme', team: 'staff' }
const identity = { account: 'ada', issuer: 'https://login.example', subject: 'ada-1' }

async function opened() {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  await directory.done('account link', { ...identity, provider: 'corp' })
  const names = async () =>
    itemsOf(await directory.done('team-group list', staff)).map(
      ({ provider, group }) => `${provider}/${group}`,
    )
  return { ...directory, names }
}

function itemsOf(answer: Answer) {
  return answer['items'] as readonly { provider: string; group: string }[]
}

describe('a team', () => {
  test('names groups of providers, and lists them page by page', async () => {
    const { done, names } = await opened()
    for (const provider of ['other', 'corp']) {
      for (const group of ['/b/c', 'B', 'b']) {
        await done('team-group set', { ...staff, provider, group })
      }
    }
    await done('team-group set', { ...staff, provider: 'corp', group: 'b' })
    const all = ['/b/c', 'B', 'b']
    const wanted = ['corp', 'other'].flatMap((one) => all.map((group) => `${one}/${group}`))
    expect(await names()).toEqual(wanted)
    let after: string | undefined
    const found: string[] = []
    do {
      const page = await done('team-group list', { ...staff, limit: 1, ...(after && { after }) })
      found.push(...itemsOf(page).map(({ provider, group }) => `${provider}/${group}`))
      after = page['next'] as string | undefined
    } while (after !== undefined)
    expect(found).toEqual(wanted)
    await done('team-group delete', { ...staff, provider: 'corp', group: '/b/c' })
    expect(await names()).toEqual(wanted.slice(1))
  })

  test('names at most 100 groups, and a group feeds at most 16 teams of a namespace', async () => {
    const { done, run } = await opened()
    for (let at = 0; at < 16; at += 1) {
      await done('team create', { namespace: 'acme', team: `t${at}` })
      const group = { namespace: 'acme', team: `t${at}`, provider: 'corp', group: 'all' }
      await done('team-group set', group)
    }
    const one = { ...staff, provider: 'corp' }
    expect(await run('team-group set', { ...one, group: 'all' })).toMatchObject({
      code: 'conflict',
    })
    for (let at = 0; at < 100; at += 1) await done('team-group set', { ...one, group: `g${at}` })
    expect(await run('team-group set', { ...one, group: 'more' })).toMatchObject({
      code: 'conflict',
    })
    await done('team-group set', { ...one, group: 'g1' })
  })

  test.each(['', '.', '..', 'a\nb', 'x'.repeat(257)])('names no group %j', async (group) => {
    const { run } = await opened()
    const refused = await run('team-group set', { ...staff, provider: 'corp', group })
    expect(refused).toMatchObject({ code: 'bad_request' })
  })
})

describe('a file', () => {
  const withGroups = (groups?: object) => ({
    ...file,
    namespaces: [{ name: 'acme', teams: { staff: { role: 'write', groups } } }],
  })

  test('replaces the groups of a team, and leaves them where it names none', async () => {
    const { apply, names } = await opened()
    await apply(withGroups({ corp: ['a', 'b'], other: ['a'] }))
    expect(await names()).toEqual(['corp/a', 'corp/b', 'other/a'])
    await apply(withGroups())
    expect(await names()).toEqual(['corp/a', 'corp/b', 'other/a'])
    await apply(withGroups({ corp: ['b', 'c', 'c'] }))
    expect(await names()).toEqual(['corp/b', 'corp/c'])
    await apply(withGroups({}))
    expect(await names()).toEqual([])
  })

  test('that is applied again changes no membership', async () => {
    const { apply, store } = await opened()
    await apply(withGroups({ corp: ['a'] }))
    await vouch(store.directory, { subject: 'ada-1', groups: ['a'], now: start })
    await apply(withGroups({ corp: ['a'] }), { prune: true })
    const rows = await store.directory.read((tables) =>
      tables.selectFrom('group_members').select('until').execute(),
    )
    expect(rows).toEqual([{ until: start + 86_400 }])
  })
})

test('the journal and explain name team, provider and group', async () => {
  const { done, store } = await opened()
  await done('team-group set', { ...staff, provider: 'corp', group: 'a' })
  await vouch(store.directory, { subject: 'ada-1', groups: ['a'], now: start })
  const { items } = await done('changes', {})
  expect((items as readonly unknown[]).slice(-2)).toMatchObject([
    {
      ...{ thing: 'team-group', did: 'created' },
      after: { team: 'staff', provider: 'corp', group: 'a' },
    },
    {
      ...{ thing: 'group-member', did: 'created', account: 'ada' },
      after: { team: 'staff', provider: 'corp', group: 'a', subject: 'ada-1' },
    },
  ])
  const explained = await done('explain', {
    ...{ account: 'ada', scope: 'write', repository: 'models/acme/bert' },
  })
  expect(JSON.stringify(explained)).toContain(
    'the role comes through the team acme/staff (by the group \\"a\\" of the provider \\"corp\\", until 20',
  )
})
