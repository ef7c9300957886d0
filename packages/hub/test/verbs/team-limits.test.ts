/** Bounds of teams, so that nobody fills the database or keeps it busy with one change. */

import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { maxTeamAccess, maxTeamMembers, maxTeams } from '../../src/verbs/team-limits.ts'
import { type Opened, openDirectory } from './open-directory.ts'

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
