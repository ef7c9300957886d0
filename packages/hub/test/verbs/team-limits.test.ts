/** Bounds of teams, so that nobody fills the database or keeps it busy with one change. */

import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { chunked } from '../../src/tables/columns.ts'
import {
  maxAccountPlaces,
  maxGroupPlaces,
  maxTeamAccess,
  maxTeamMembers,
  maxTeams,
} from '../../src/verbs/team-limits.ts'
import { vouch } from '../sign-in/by-groups.ts'
import { type Opened, openDirectory, start } from './open-directory.ts'

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const each = <Value>(list: readonly string[], value: Value) =>
  Object.fromEntries(list.map((name) => [name, value]))

async function opened(file: object): Promise<Opened> {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  return directory
}

test('a namespace has so many teams and no more', async () => {
  const teams = each(names(maxTeams, 't'), {})
  const { apply, done, run } = await opened({ namespaces: [{ name: 'acme', teams }] })
  const another = { namespace: 'acme', team: 'another' }
  expect(await run('team create', another)).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining(`at most ${maxTeams} teams`),
  })
  const more = { ...teams, another: {} }
  expect(await apply({ namespaces: [{ name: 'acme', teams: more }] })).toMatchObject({
    ...{ code: 'conflict', path: 'namespaces[0].teams' },
  })
  await done('team delete', { namespace: 'acme', team: 't0' })
  await done('team create', another)
})

test('a file gives a team so many members and no more', async () => {
  const { apply } = await openDirectory()
  const members = each(names(maxTeamMembers + 1, 'a'), {})
  expect(
    await apply({ namespaces: [{ name: 'acme', teams: { all: { members } } }] }),
  ).toMatchObject({
    ...{ code: 'conflict', path: 'namespaces[0].teams.all.members' },
    detail: expect.stringContaining(`at most ${maxTeamMembers} members`),
  })
})

test('the members of a team times the places of its roles are bounded', async () => {
  const repositories = names(99, 'r').map((name) => ({ type: 'model', id: `acme/${name}` }))
  const accounts = names(maxTeamAccess / 100 + 1, 'a')
  const [last = '', ...members] = accounts
  const { done, run } = await opened({
    accounts: accounts.map((name) => ({ name })),
    namespaces: [{ name: 'acme', teams: { all: { members: each(members, {}) } } }],
    repositories: [
      ...repositories.map((one) => ({ ...one, teams: { all: 'read' } })),
      { type: 'model', id: 'acme/more' },
    ],
  })
  const beyond = { code: 'conflict', detail: expect.stringContaining(`at most ${maxTeamAccess}`) }
  const team = { namespace: 'acme', team: 'all' }
  expect(await run('team-member set', { ...team, account: last })).toMatchObject(beyond)
  const role = { repository: 'models/acme/more', team: 'all', role: 'read' }
  expect(await run('team-role set', role)).toMatchObject(beyond)
  // What is there can be changed.
  await done('team-member set', { ...team, account: 'a1', until: '2090-01-01T00:00:00Z' })
  await done('team-role set', { ...role, repository: 'models/acme/r1', role: 'write' })
  await done('team-member delete', { ...team, account: 'a1' })
  await done('team-member set', { ...team, account: last })
})

const corp = { account: 'ada', issuer: 'https://login.example', subject: 'ada-1' }
const everybody = { provider: 'corp', group: 'everybody' }

/** Many teams of one namespace with roles in the same repositories. */
async function withTeams(teams: readonly string[], repositories: readonly string[]) {
  const directory = await opened({
    accounts: [{ name: 'ada' }, { name: 'bob' }],
    namespaces: [{ name: 'acme', teams: { ...each(teams, {}), other: {} } }],
    repositories: [...repositories, 'more'].map((name) => ({
      ...{ type: 'model', id: `acme/${name}` },
      teams: name === 'more' ? {} : each(teams, 'write'),
    })),
  })
  await directory.done('account link', { ...corp, provider: 'corp' })
  return directory
}

test('a sign-in writes a bounded number of places, however many teams name one group', async () => {
  const repositories = names(maxGroupPlaces / 8 - 1, 'r')
  const teams = names(8, 't')
  const { store, done, run } = await withTeams(teams, repositories)
  for (const team of teams) await done('team-group set', { namespace: 'acme', team, ...everybody })
  const beyond = {
    ...{ code: 'conflict', detail: expect.stringContaining(`At most ${maxGroupPlaces}`) },
  }
  const other = { namespace: 'acme', team: 'other', ...everybody }
  expect(await run('team-group set', other)).toMatchObject(beyond)
  const role = { repository: 'models/acme/more', role: 'read' }
  expect(await run('team-role set', { ...role, team: 't3' })).toMatchObject(beyond)
  await done('team-role set', { ...role, team: 'other' })
  await vouch(store.directory, { subject: 'ada-1', groups: ['everybody'], now: start })
  const access = await store.directory.read((tables) =>
    tables.selectFrom('team_access').select(['account_id', 'writes_until']).execute(),
  )
  // None for the namespace, where the teams have no role.
  expect(access).toHaveLength(maxGroupPlaces / 8 - 1)
  // What is less can be given again.
  await done('team-role delete', { repository: 'models/acme/r1', team: 't0' })
  await done('team-role set', { ...role, team: 't3' })
})

test('people of a group are members of a team, each once', async () => {
  const { store, apply, done, run } = await withTeams(['t'], names(9, 'r'))
  const people = names(maxTeamAccess / 10 - 1, 'p')
  await apply({ accounts: ['ada', 'bob', ...people].map((name) => ({ name })) })
  for (const group of ['everybody', 'b']) {
    await done('team-group set', { namespace: 'acme', team: 't', provider: 'corp', group })
  }
  await vouch(store.directory, { subject: 'ada-1', groups: ['everybody', 'b'], now: start })
  await store.directory.note('session seen', async ({ tables }) => {
    const row = await tables.selectFrom('group_members').selectAll().executeTakeFirstOrThrow()
    const identity = await tables.selectFrom('identities').selectAll().executeTakeFirstOrThrow()
    const others = tables.selectFrom('accounts').select('id').where('name', 'like', 'p%')
    const rows = (await others.execute()).map(({ id }) => ({
      ...row,
      ...{ account_id: id, subject: id },
    }))
    for (const some of chunked(rows)) {
      const identities = some.map(({ account_id, subject }) => ({
        ...identity,
        ...{ account_id, subject },
      }))
      await tables.insertInto('identities').values(identities).execute()
      await tables.insertInto('group_members').values(some).execute()
    }
  })
  const role = { repository: 'models/acme/more', team: 't', role: 'read' }
  expect(await run('team-role set', role)).toMatchObject({ code: 'conflict' })
  const team = { namespace: 'acme', team: 't' }
  expect(await run('team-member set', { ...team, account: 'bob' })).toMatchObject({
    code: 'conflict',
  })
  await done('team-member set', { ...team, account: 'ada' })
})

test('the places of one account through the teams of a namespace are bounded', async () => {
  const teams = names(20, 't')
  const { done, run } = await withTeams(teams, names(maxAccountPlaces / 20 - 1, 'r'))
  for (const team of teams)
    await done('team-member set', { namespace: 'acme', team, account: 'bob' })
  const beyond = {
    ...{ code: 'conflict', detail: expect.stringContaining(`At most ${maxAccountPlaces}`) },
  }
  const other = { namespace: 'acme', team: 'other', account: 'bob' }
  expect(await run('team-member set', other)).toMatchObject(beyond)
  const role = { repository: 'models/acme/more', role: 'read' }
  expect(await run('team-role set', { ...role, team: 't3' })).toMatchObject(beyond)
  await done('team-role set', { ...role, team: 'other' })
  await done('team-member delete', { namespace: 'acme', team: 't0', account: 'bob' })
  await done('team-member set', other)
})
