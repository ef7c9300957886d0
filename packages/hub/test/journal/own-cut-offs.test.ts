/** The revocation entries that one account can write by itself. */

import { expect, test } from 'vitest'
import { openDirectory } from '../verbs/open-directory.ts'

test('of an account that ended more than a hundred hub tokens, one entry is left, and all of others', async () => {
  const directory = await openDirectory()
  for (const name of ['ada', 'bob']) await directory.done('account create', { name })
  const end = async (account: string) => {
    const made = await directory.done('hub-token create', { account, name: 'own', kind: 'write' })
    await directory.done('hub-token revoke', { hubToken: made['id'] })
    return String(made['id'])
  }
  const entries = () =>
    directory.store.directory.read((tables) =>
      tables.selectFrom('cut_offs').select(['kind', 'id', 'number']).execute(),
    )
  const other = await end('bob')
  for (let count = 0; count < 100; count += 1) await end('ada')
  expect(await entries()).toHaveLength(101)
  await end('ada')
  const { id } = (await directory.done('account show', { account: 'ada' })) as { id: string }
  const { number } = directory.store.access.version()
  const left = await entries()
  expect(left.map((entry) => [entry.kind, entry.id]).toSorted()).toEqual([
    ['account', id],
    ['hub-token', other],
  ])
  expect(left.find(({ kind }) => kind === 'account')?.number).toBe(number)
  await end('ada')
  expect(await entries()).toHaveLength(3)
})
