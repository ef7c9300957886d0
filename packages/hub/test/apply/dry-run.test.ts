/** A dry run answers with what a file would change, and changes nothing: not a row, not an entry, not a secret. */

import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { hash, openDirectory } from '../verbs/open-directory.ts'

const file = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'bob' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(1), dev: hash(1) } }],
  hubTokens: [{ account: 'bob', name: 'laptop', kind: 'write' }],
}

const next = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'cyd' }],
  repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(2) } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

test('on an empty directory', async () => {
  const { run, everything } = await openDirectory()
  const before = await everything()
  const told = await run('apply', { file, dryRun: true })
  expect(told).toMatchObject({ dryRun: true, hubTokens: [] })
  expect(told['changes']).toHaveLength(5)
  expect(await everything()).toEqual(before)
})

test.each([false, true])(
  'with prune: %s, what is told is what is done afterwards',
  async (prune) => {
    const { run, done, everything } = await openDirectory()
    await done('apply', { file })
    const before = await everything()
    const told = await run('apply', { file: next, prune, dryRun: true })
    expect(await everything()).toEqual(before)
    const really = await run('apply', { file: JSON.stringify(next), prune })
    expect(told['changes']).toEqual(really['changes'])
    expect(told['hubTokens']).toEqual([])
    expect(really['hubTokens']).toHaveLength(1)
    expect(JSON.stringify(told)).toContain(prune ? 'deleted' : 'created')
    expect(await everything()).not.toEqual(before)
  },
)

test('a mistake in the file is the same refusal', async () => {
  const { run } = await openDirectory()
  const wrong = { repositories: [{ type: 'model', id: 'nowhere/bert' }] }
  const [tried, really] = [
    await run('apply', { file: wrong, dryRun: true }),
    await run('apply', { file: wrong }),
  ]
  expect(isRefusal(tried)).toBe(true)
  expect(tried).toEqual(really)
})
