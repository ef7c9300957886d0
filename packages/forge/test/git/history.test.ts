import type { CommitHash } from '@latchkey/protocol'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edit, parseObjectHash, type Repository } from '../../src/git/index.ts'
import { addFile, askGit, commitEdits, openWorld, path, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
/** By their messages. */
const commits = new Map<string, CommitHash>()
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  const [one, two, three] = await Promise.all(
    ['1', '2', '3'].map((text) => addFile(repository, 'x', text)),
  )
  if (one === undefined || two === undefined || three === undefined) return
  const at = (edit: Edit, text: string): Edit => ({ ...edit, path: path(text) })
  const commit = async (
    message: string,
    edits: readonly Edit[],
    parents: readonly string[],
    seconds: number,
  ) => {
    const hashes = parents.map((parent) => commits.get(parent) ?? ('' as CommitHash))
    commits.set(
      message,
      await commitEdits(repository, edits, { parents: hashes, message, at: seconds }),
    )
  }
  await commit(
    'root',
    [at(one, 'same'), at(one, 'a'), at(one, 'folder/b'), at(one, 'gone')],
    [],
    100,
  )
  await commit('left', [at(two, 'a'), { kind: 'delete', path: path('gone') }], ['root'], 300)
  // Its clock is wrong: it is older than what comes before it.
  await commit('right', [at(two, 'folder/b')], ['root'], 50)
  await commit('right again', [at(three, 'folder/c')], ['right'], 200)
  await commit('merged', [at(two, 'folder/b'), at(three, 'folder/c')], ['left', 'right again'], 400)
  await commit('resolved', [at(three, 'a'), at(three, 'both')], ['merged', 'right again'], 500)
  await commit('elsewhere', [at(one, 'other')], ['resolved'], 600)
})
afterAll(() => world.git.close())

const named = (hash: string | undefined) => [...commits].find(([, one]) => one === hash)?.[0]
const tip = () => commits.get('elsewhere') ?? ('' as CommitHash)

describe('the log', () => {
  test('is that of git, page by page', async () => {
    const all = askGit(world.place, ['rev-list', tip()]).toString().trim().split('\n')
    expect(all).toHaveLength(commits.size)
    for (const limit of [1, 3, 100]) {
      const shown: string[] = []
      for (let skip = 0; skip < all.length; skip += limit) {
        const page = await repository.log(tip(), { limit, skip })
        shown.push(...page.map(({ hash }) => hash))
      }
      expect(shown).toEqual(all)
    }
    expect(await repository.log(tip(), { limit: 5, skip: 100 })).toEqual([])
  })

  test('begins only with the hash of a commit', async () => {
    await expect(repository.log('--all' as CommitHash, { limit: 1 })).rejects.toThrow(TypeError)
    await expect(repository.log('elsewhere' as CommitHash, { limit: 1 })).rejects.toThrow(TypeError)
    const absent = parseObjectHash('12'.repeat(20)) as CommitHash
    await expect(repository.log(absent, { limit: 1 })).rejects.toMatchObject({ reason: 'exit' })
  })
})

describe('the last commit of a path', () => {
  test('is the one that git finds for the path alone, through merges and wrong clocks', async () => {
    const paths = ['same', 'a', 'folder', 'folder/b', 'folder/c', 'both', 'other'].map(path)
    const found = await repository.lastCommits(tip(), paths)
    for (const one of paths) {
      const args = ['rev-list', '--max-count=1', tip(), '--', one]
      const alone = askGit(world.place, args).toString().trim()
      expect([one, named(found.get(one)?.hash)]).toEqual([one, named(alone)])
    }
    expect(named(found.get(path('a'))?.hash)).toBe('resolved')
    expect(named(found.get(path('folder/b'))?.hash)).toBe('right')
    expect(found.get(path('same'))).toMatchObject({ message: 'root\n', author: { at: 100 } })
  })

  test('is none for what is not there any more, or never was', async () => {
    const found = await repository.lastCommits(
      tip(),
      ['gone', 'never', 'other/x', ':(top)a', '*'].map(path),
    )
    expect(found.size).toBe(0)
    expect((await repository.lastCommits(tip(), [])).size).toBe(0)
  })
})
