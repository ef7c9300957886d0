/** The revocation entries that the administrators of one namespace can cause. */

import { isRefusal, journalNumber } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { maxOfNamespace } from '../../src/journal/bound-cut-offs.ts'
import { chunked } from '../../src/tables/columns.ts'
import { type Opened, openDirectory } from '../verbs/open-directory.ts'

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

async function opened(): Promise<Opened> {
  const directory = await openDirectory()
  const people = names(20, 'p')
  const repositories = names(10, 'r').map((name) => ({
    ...{ type: 'model', id: `acme/${name}`, teams: { all: 'read' } },
  }))
  const applied = await directory.apply({
    accounts: people.map((name) => ({ name })),
    namespaces: [
      {
        name: 'acme',
        teams: { all: { members: Object.fromEntries(people.map((name) => [name, {}])) } },
      },
      { name: 'labs' },
    ],
    repositories: [...repositories, { type: 'model', id: 'labs/gpt' }],
  })
  if (isRefusal(applied)) throw new Error(applied.detail)
  return directory
}

const entries = ({ store }: Opened) =>
  store.readBeside((tables) => tables.selectFrom('cut_offs').select(['kind', 'id']).execute())

/** As many as other changes have caused; those of the namespace too. */
async function fill(
  { store }: Opened,
  count: number,
  namespace: string | null,
  what = ['ref', 'x'],
) {
  const [kind = '', id = ''] = what
  const { number } = await store.access.version()
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ kind: kind as 'ref', id: `${id}${index}`, number: journalNumber(number) },
    ...{ made: number, namespace },
  }))
  await store.directory.note('cut-off retention', async ({ tables }) => {
    for (const some of chunked(rows)) await tables.insertInto('cut_offs').values(some).execute()
  })
}

test('those of accounts in its repositories become one for each account', async () => {
  const directory = await opened()
  const role = { repository: 'models/acme/r0', team: 'all' }
  await fill(directory, maxOfNamespace - 20, 'acme', ['account+repository', 'someone/'])
  await directory.done('team-role delete', role)
  expect(await entries(directory)).toHaveLength(maxOfNamespace)
  await directory.done('team-role delete', { ...role, repository: 'models/acme/r1' })
  const left = await entries(directory)
  expect(new Set(left.map(({ kind }) => kind))).toEqual(new Set(['account+namespace']))
  expect(left).toHaveLength(21)
  expect(left).toContainEqual({ kind: 'account+namespace', id: 'someone/acme' })
})

test.each([
  ['repo delete', { repository: 'models/acme/r0' }],
  ['team-member delete', { namespace: 'acme', team: 'all', account: 'p0' }],
  ['team-role delete', { repository: 'models/acme/r0', team: 'all' }],
  ['team delete', { namespace: 'acme', team: 'all' }],
])('beyond %s of a namespace one entry ends its tokens, and no others', async (words, input) => {
  const directory = await opened()
  await directory.done('repo delete', { repository: 'models/labs/gpt' })
  const [other] = await entries(directory)
  await fill(directory, maxOfNamespace - 1, 'acme')
  await directory.done('member set', { namespace: 'acme', account: 'p1', role: 'read' })
  expect(await entries(directory)).toHaveLength(maxOfNamespace)
  await directory.done('member set', { namespace: 'acme', account: 'p1', role: 'admin' })
  await directory.done('member delete', { namespace: 'acme', account: 'p1' })
  expect(await entries(directory)).toHaveLength(maxOfNamespace + 1)
  await directory.done(words, input)
  const { number } = await directory.store.access.version()
  const left = await directory.store.readBeside((tables) =>
    tables.selectFrom('cut_offs').select(['kind', 'id', 'number']).orderBy('kind').execute(),
  )
  expect(left).toEqual([
    { kind: 'namespace', id: 'acme', number },
    { ...other, number: expect.any(Number) },
  ])
})

test('where the whole list is full, the namespace with most entries loses its tokens first', async () => {
  const directory = await opened()
  await fill(directory, 2, 'labs', ['ref', 'labs'])
  await fill(directory, 1500, 'acme')
  await fill(directory, 50_000 - 1502, null, ['ref', 'other'])
  await directory.done('revoke repository', { repository: 'models/labs/gpt' })
  const kinds = (await entries(directory)).map(({ kind }) => kind)
  expect(kinds).not.toContain('all')
  expect(kinds.filter((kind) => kind === 'namespace')).toHaveLength(1)
  expect(kinds).toHaveLength(50_000 - 1500 + 2)
})

test('the service account of a publisher counts for its namespace', async () => {
  const directory = await opened()
  const publisher = { repository: 'models/acme/r0', publisher: 'ci' }
  const rule = { preset: 'other', issuer: 'https://ci.example', claims: ['sub=job'] }
  await directory.done('publisher create', { ...publisher, ...rule, contents: 'read' })
  await directory.done('publisher delete', publisher)
  const rows = await directory.store.readBeside((tables) =>
    tables.selectFrom('cut_offs').select(['kind', 'namespace']).execute(),
  )
  expect(rows).toEqual([{ kind: 'account', namespace: 'acme' }])
})
