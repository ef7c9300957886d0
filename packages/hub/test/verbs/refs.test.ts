import { isRefusal, noCommit } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxRefs } from '../../src/verbs/ref-rows.ts'
import { isLongHere, longHere } from '../stores/test-store.ts'
import { hash, openDirectory, start } from './open-directory.ts'

const repository = 'models/acme/bert'

async function withRepository() {
  const directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  await directory.done('repo create', { repository })
  return directory
}

const holders = async ({ run }: Awaited<ReturnType<typeof withRepository>>) =>
  (await run('commit list', { repository }))['items']

// conformance: Attacks / 4. An attacker names a ref like a pinned revision
test.each([
  'HEAD',
  '@',
  'None',
  'refs/heads/refs/heads/x',
  hash(1),
  'refs/tags/HEAD',
  '-x',
  'a..b',
  'a b',
  'refs/pr',
  'x.lock',
  'é'.repeat(128),
])('no ref can be called %j', async (ref) => {
  const { run } = await withRepository()
  expect(await run('ref set', { repository, ref, commit: hash(1) })).toMatchObject({
    code: 'bad_request',
    path: 'ref',
  })
})

test('a ref needs a full commit hash', async () => {
  const { run } = await withRepository()
  for (const commit of ['main', 'abc', `${hash(1)}0`, '0'.repeat(40), '0'.repeat(64)]) {
    expect(await run('ref set', { repository, ref: 'main', commit })).toMatchObject({
      code: 'bad_request',
      path: 'commit',
    })
  }
  expect(await run('ref set', { repository, ref: 'refs/tags/v1' })).toMatchObject({
    code: 'bad_request',
    path: 'commit',
  })
})

// conformance: Attacks / 4. An attacker names a ref like a pinned revision
test('a name cannot be a branch and a tag at once, whichever comes first', async () => {
  const { run, done } = await withRepository()
  await done('ref set', { repository, ref: 'v1', commit: hash(1) })
  await done('ref set', { repository, ref: 'refs/tags/v2', commit: hash(1) })
  for (const ref of ['refs/tags/v1', 'v2']) {
    expect(await run('ref set', { repository, ref, commit: hash(1) })).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('a branch and a tag at once'),
    })
  }
})

test('a ref is made only from a moving ref that exists, and a tag from none', async () => {
  const { run, done } = await withRepository()
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  await done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(1) })
  const make = (ref: string, from: string) => run('ref set', { repository, ref, from })
  expect(await make('dev', 'absent')).toMatchObject({ code: 'resource_not_found' })
  expect(await make('dev', 'refs/tags/v1')).toMatchObject({ code: 'bad_request', path: 'from' })
  expect(await make('refs/tags/v2', 'main')).toMatchObject({ code: 'bad_request', path: 'from' })
})

test('a repository cannot have refs without end', {
  tags: [...longHere],
  timeout: 60_000,
}, async () => {
  const directory = await withRepository()
  const branches = Object.fromEntries(
    Array.from({ length: maxRefs }, (_, index) => [`b${index}`, hash(1)]),
  )
  await directory.apply({ repositories: [{ type: 'model', id: 'acme/bert', branches }] })
  const more = { repository, ref: 'one-more', commit: hash(1) }
  expect(await directory.run('ref set', more)).toMatchObject({ code: 'conflict' })
  const updates = [{ ref: 'refs/heads/one-more', old: noCommit, new: hash(1) }]
  expect(await directory.run('ref update', { repository, updates })).toMatchObject({
    code: 'conflict',
  })
  const tags = { 'one-more': hash(1) }
  expect(
    await directory.apply({ repositories: [{ type: 'model', id: 'acme/bert', tags }] }),
  ).toMatchObject({ code: 'conflict', path: 'repositories[0]' })
})

test('a ref that is not there is neither shown nor deleted', async () => {
  const { run } = await withRepository()
  for (const words of ['ref show', 'ref delete']) {
    expect(await run(words, { repository, ref: 'dev' })).toMatchObject({
      code: 'resource_not_found',
    })
  }
})

test('where a ref was made from cannot be changed', async () => {
  const { run, done } = await withRepository()
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  expect(
    await run('ref set', { repository, ref: 'main', commit: hash(1), from: 'main' }),
  ).toMatchObject({ code: 'conflict', path: 'from' })
})

test('a ref made from another remembers which one and when, and starts at its commit', async () => {
  const directory = await withRepository()
  await directory.done('ref set', { repository, ref: 'main', commit: hash(1) })
  directory.now = (start + 60) as typeof directory.now
  expect(
    await directory.run('ref set', { repository, ref: 'refs/pr/1', from: 'main' }),
  ).toMatchObject({
    name: 'refs/pr/1',
    commit: hash(1),
    from: 'main',
    forkedAt: '2027-01-15T08:01:00Z',
  })
})

test('a ref made again has another uid', async () => {
  const { done } = await withRepository()
  const first = await done('ref set', { repository, ref: 'main', commit: hash(1) })
  await done('ref delete', { repository, ref: 'main' })
  const second = await done('ref set', { repository, ref: 'main', commit: hash(1) })
  expect(second['uid']).not.toBe(first['uid'])
})

test('a moved ref keeps its old commit on record, and the first moment stays', async () => {
  const directory = await withRepository()
  const { done } = directory
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  directory.now = (start + 60) as typeof directory.now
  await done('ref set', { repository, ref: 'main', commit: hash(2) })
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  expect(await holders(directory)).toMatchObject([
    { hash: hash(1), on: ['main'], recordedAt: '2027-01-15T08:00:00Z' },
    { hash: hash(2), on: ['main'], recordedAt: '2027-01-15T08:01:00Z' },
  ])
})

test('a deleted ref leaves its commits on record', async () => {
  const directory = await withRepository()
  await directory.done('ref set', { repository, ref: 'main', commit: hash(1) })
  await directory.done('ref delete', { repository, ref: 'main' })
  expect(await holders(directory)).toMatchObject([{ hash: hash(1), on: [] }])
})

test('a tag puts its commit on record and holds none', async () => {
  const directory = await withRepository()
  await directory.done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(1) })
  await directory.done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(2) })
  expect(await holders(directory)).toMatchObject([
    { hash: hash(1), on: [] },
    { hash: hash(2), on: [] },
  ])
})

test('a commit is recorded only on moving refs that exist', async () => {
  const { run, done } = await withRepository()
  await done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(1) })
  const record = (on: string[]) => run('commit record', { repository, hash: hash(2), on })
  expect(await record(['absent'])).toMatchObject({ code: 'resource_not_found' })
  expect(await record(['refs/tags/v1'])).toMatchObject({ code: 'bad_request', path: 'on[0]' })
  expect(await run('commit list', { repository })).toMatchObject({ total: 1 })
})

test('a recorded commit is held by the refs named for it, in the order they came', async () => {
  const directory = await withRepository()
  const { run, done } = directory
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  await done('ref set', { repository, ref: 'dev', commit: hash(1) })
  await done('commit record', { repository, hash: hash(9).toUpperCase(), on: ['dev'] })
  expect(
    await run('commit record', { repository, hash: hash(9), on: ['main', 'dev'] }),
  ).toMatchObject({ hash: hash(9), on: ['dev', 'main'] })
})

test('whatever is done to refs, every commit a ref ever pointed to stays on record', async () => {
  const directory = await withRepository()
  const name = fc.constantFrom('main', 'dev', 'refs/tags/v1', 'refs/pr/1')
  const commit = fc.integer({ min: 0, max: 9 }).map(hash)
  const step = fc.record({ does: fc.constantFrom('set', 'delete'), name, commit })
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const { does, name, commit } of steps) {
        const target = does === 'delete' ? {} : { commit }
        const answer = await directory.run(`ref ${does}`, { repository, ref: name, ...target })
        if (does !== 'delete' && !isRefusal(answer)) seen.add(commit)
      }
      const { items } = await directory.done('commit list', { repository })
      const recorded = (items as { hash: string }[]).map(({ hash }) => hash)
      expect(recorded).toEqual(Array.from(seen).sort())
    }),
    { numRuns: rounds(isLongHere ? 5 : 20, 200) },
  )
})
