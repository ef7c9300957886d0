import { expect, test } from 'vitest'
import { hash, openDirectory } from '../verbs/open-directory.ts'

const repository = 'models/acme/bert'

interface Entry {
  readonly verb: string
  readonly before?: Record<string, unknown>
  readonly after?: Record<string, unknown>
}

async function withToken() {
  const directory = await openDirectory()
  await directory.apply({
    accounts: [{ name: 'ada' }],
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(1) } }],
  })
  const lastEntry = async (): Promise<Entry> => {
    const { items } = (await directory.done('changes', { limit: 1000 })) as { items: Entry[] }
    return items.at(-1) ?? { verb: 'none' }
  }
  return { ...directory, lastEntry }
}

test('lists of an ordinary length are kept whole', async () => {
  const { done, lastEntry } = await withToken()
  const grants = [{ on: repository, contents: 'write', refs: ['main', 'release/*'] }]
  await done('hub-token create', { account: 'ada', name: 'ci', kind: 'fine-grained', grants })
  expect((await lastEntry()).after).toMatchObject({ grants })
})

test('no caller can make an entry longer than 8 KB: a long list becomes its length and its digest', async () => {
  const { apply, done, lastEntry } = await withToken()
  const refs = Array.from({ length: 64 }, (_, index) => `"${'"'.repeat(200)}${index}`)
  const grants = Array.from({ length: 4 }, () => ({ on: '*', contents: 'read', refs }))
  await done('hub-token create', { account: 'ada', name: 'ci', kind: 'fine-grained', grants })
  const made = await lastEntry()
  expect(JSON.stringify(made).length).toBeLessThan(8192)
  expect(made.after).toMatchObject({ name: 'ci', grants: { length: 4 } })

  const on = Array.from({ length: 300 }, (_, index) => `${index}${'"'.repeat(200)}`)
  const branches = Object.fromEntries(on.map((name) => [name, hash(1)]))
  await apply({ repositories: [{ type: 'model', id: 'acme/bert', branches }] })
  await done('commit record', { repository, hash: hash(2), on })
  const recorded = await lastEntry()
  expect(recorded).toMatchObject({ verb: 'commit record', after: { holders: { length: 300 } } })
  expect(JSON.stringify(recorded).length).toBeLessThan(8192)
})
