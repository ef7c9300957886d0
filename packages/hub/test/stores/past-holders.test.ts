/** Deleted refs that held a commit are remembered by name, however they were deleted. */

import { noRepositoryUid, parseRepoRef, parseRevision, type UnixSeconds } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { describe, expect, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { hash, type Opened, openDirectory } from '../verbs/open-directory.ts'

const repository = 'models/acme/bert'
const held = hash('held')

/** The commit is on `main` and on `secret` from the start. */
async function withHolders(): Promise<Opened> {
  const directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  await directory.done('repo create', { repository, visibility: 'public' })
  for (const ref of ['main', 'secret']) {
    await directory.done('ref set', { repository, ref, commit: held })
  }
  return directory
}

async function holdersOf({ store }: Opened, revision = held) {
  const find = repositoryFinder(store.access, systemClock)
  const repo = parseRepoRef(repository)
  const found = repo && (await find(undefined, repo, parseRevision(revision)))
  if (found?.ref === undefined) throw new Error(`there is no ${revision}`)
  return { now: found.ref.holders.map(({ name }) => name), past: found.ref.pastHolders }
}

function rowsIn({ store }: Opened) {
  return store.directory.read((tables) => tables.selectFrom('past_holders').selectAll().execute())
}

const applied = (branches: object) => ({
  repositories: [{ type: 'model', id: 'acme/bert', branches }],
})

describe('a ref that held a commit is remembered', () => {
  const deletions: Readonly<Record<string, (directory: Opened) => Promise<unknown>>> = {
    'by a verb': ({ done }) => done('ref delete', { repository, ref: 'secret' }),
    'by a file that leaves it out': ({ apply }) => apply(applied({ main: held })),
    'by a file that prunes': ({ apply }) => apply(applied({ main: held }), { prune: true }),
    'by whatever deletes its row': ({ store }) =>
      writeTables(store.directory, (tables) =>
        tables.deleteFrom('refs').where('name', '=', 'refs/heads/secret').execute(),
      ),
  }

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test.each(Object.keys(deletions))('when it is deleted %s', async (deletion) => {
    const directory = await withHolders()
    await deletions[deletion]?.(directory)
    const names = { now: ['refs/heads/main'], past: ['refs/heads/secret'] }
    expect(await holdersOf(directory)).toEqual(names)
  })

  test('for every commit that it held, also those that it had left', async () => {
    const directory = await withHolders()
    await directory.done('ref set', { repository, ref: 'secret', commit: hash(2) })
    await directory.done('commit record', { repository, hash: hash(3), on: ['secret'] })
    await directory.done('ref delete', { repository, ref: 'secret' })
    for (const commit of [held, hash(2), hash(3)]) {
      expect((await holdersOf(directory, commit)).past, commit).toEqual(['refs/heads/secret'])
    }
  })

  test('once, however often it is made again and deleted', async () => {
    const directory = await withHolders()
    for (const _ of [1, 2, 3]) {
      await directory.done('ref delete', { repository, ref: 'secret' })
      await directory.done('ref set', { repository, ref: 'secret', commit: held })
    }
    expect(await holdersOf(directory)).toEqual({
      now: ['refs/heads/main', 'refs/heads/secret'],
      past: ['refs/heads/secret'],
    })
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('and is among the thousand names that a commit keeps, or closes it to every limited token', async () => {
    const directory = await withHolders()
    const [{ repository_uid } = { repository_uid: noRepositoryUid }] =
      await directory.store.directory.read((tables) =>
        tables.selectFrom('commits').select('repository_uid').execute(),
      )
    await writeTables(directory.store.directory, async (tables) => {
      for (let name = 0; name < 1000; name += 1) {
        const row = { repository_uid, hash: held, name: `refs/heads/${name}` }
        await tables.insertInto('past_holders').values(row).execute()
      }
    })
    for (const ref of ['secret', 'main']) await directory.done('ref delete', { repository, ref })
    const { past } = await holdersOf(directory)
    expect(past).toHaveLength(1001)
    expect(past).toContain(held)
  })
})

test('a ref that only moved on still holds the commit', async () => {
  const directory = await withHolders()
  await directory.done('ref set', { repository, ref: 'secret', commit: hash(2) })
  const names = { now: ['refs/heads/main', 'refs/heads/secret'], past: [] }
  expect(await holdersOf(directory)).toEqual(names)
})

// conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
test('a commit that a ref comes to hold later counts as held by itself, and a tag of it by the tag', async () => {
  const directory = await withHolders()
  await directory.done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(2) })
  directory.now = (directory.now + 1) as UnixSeconds
  expect((await holdersOf(directory, hash(2))).past).toEqual([])
  await directory.done('ref set', { repository, ref: 'main', commit: hash(2) })
  expect((await holdersOf(directory, hash(2))).past).toEqual([hash(2)])
  expect((await holdersOf(directory, 'v1')).past).toEqual(['refs/tags/v1'])
})

test('a commit that one more ref comes to hold is not held by itself', async () => {
  const directory = await withHolders()
  directory.now = (directory.now + 1) as UnixSeconds
  await directory.done('ref set', { repository, ref: 'dev', commit: held })
  expect((await holdersOf(directory)).past).toEqual([])
})

test('a deleted repository takes the names of its past holders along', async () => {
  const directory = await withHolders()
  await directory.done('ref delete', { repository, ref: 'secret' })
  expect(await rowsIn(directory)).toHaveLength(1)
  await directory.done('repo delete', { repository })
  expect(await rowsIn(directory)).toEqual([])
})
