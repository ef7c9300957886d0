/** A request reads each folder once, within a limit, and stops when its caller has gone. */

import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edit, ObjectHash, Repository } from '../../src/git/index.ts'
import type { GitTools } from '../../src/git/objects/git-tools.ts'
import type { Objects } from '../../src/git/objects/objects.ts'
import { changeTree } from '../../src/git/trees/change-tree.ts'
import { findEntries } from '../../src/git/trees/find-entries.ts'
import { listTree } from '../../src/git/trees/list-tree.ts'
import { parseFolder } from '../../src/git/trees/parse-tree.ts'
import { type Folders, sharedFolders } from '../../src/git/trees/tree-reader.ts'
import { addFile, commitEdits, openWorld, path, someUid, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
let tree: ObjectHash
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  const files = ['a/x', 'a/y', 'b/x', 'b/c/x'].map((name) => addFile(repository, name, name))
  const changed = await repository.changeTree(undefined, await Promise.all(files))
  if (!changed.ok) throw new Error(changed.refusal)
  tree = changed.tree
})
afterAll(() => world.git.close())

/** The objects of the repository, and how many were read. */
function countedObjects() {
  const state = { count: 0 }
  const objects: Pick<Objects, 'read'> = {
    read: (hash, maxBytes) => {
      state.count += 1
      return repository.readObject(hash, maxBytes)
    },
  }
  return { state, objects }
}

/** A refused change runs none. */
const noCommands = {} as GitTools

function countedFolders() {
  const { state, objects } = countedObjects()
  // No folder is remembered.
  const folders: Folders = { read: (hash) => sharedFolders()('here', objects).read(hash) }
  return { state, tools: { folders, signal: undefined } }
}

describe('a request', () => {
  test('reads a folder once, however many copies of a commit are from it', async () => {
    const readsOf = async (copies: number) => {
      const { state, tools } = countedFolders()
      const edits = Array.from({ length: copies }, (_, at): Edit => {
        return { kind: 'copy', from: path(at % 2 === 0 ? 'a/x' : 'b/c/x'), path: path(`to/${at}`) }
      })
      const refused: Edit = { kind: 'delete', path: path('missing') }
      const changed = await changeTree(
        { ...tools, ...noCommands },
        {
          base: tree,
          edits: [...edits, refused],
        },
      )
      expect(changed).toMatchObject({ ok: false, edit: refused })
      return state.count
    }
    expect(await readsOf(40)).toBe(await readsOf(2))
  })

  test('reads a folder once, however many paths lead through it', async () => {
    const { state, tools } = countedFolders()
    const paths = ['a/y', 'b/c/x', 'a/x', 'b/x', 'a/z'].map(path)
    const found = await findEntries(tools, tree, paths)
    expect([...found.keys()]).toEqual(['a/x', 'a/y', 'b/c/x', 'b/x'])
    // The top, a, b and b/c.
    expect(state.count).toBe(4)
  })

  test('finds a folder that another request has read, also while it is being read', async () => {
    const { state, objects } = countedObjects()
    const tools = { folders: sharedFolders()('here', objects), signal: undefined }
    const find = () => findEntries(tools, tree, [path('a/x')])
    await Promise.all([find(), find()])
    await find()
    await listTree(tools, tree, { path: path('a'), limit: 9 })
    expect(state.count).toBe(2)
  })

  test('is refused where its folders are too large together', async () => {
    const edits: Edit[] = ['a/x', 'b/c/x'].map((name) => ({ kind: 'delete', path: path(name) }))
    const changing = repository.changeTree(tree, edits, { maxReadBytes: 100 })
    const message = 'git reads at most 100 bytes of folders for one request'
    await expect(changing).rejects.toMatchObject({ reason: 'too-large', message })
  })
})

test('a large folder is parsed in slices, and other work has its turn in between', async () => {
  const entry = Buffer.concat([Buffer.from('100644 name\0'), Buffer.alloc(20, 1)])
  const parsing = parseFolder(Buffer.concat(Array.from({ length: 50_000 }, () => entry)))
  let turns = 0
  let isOver = false
  const take = () => {
    turns += 1
    if (!isOver) setImmediate(take)
  }
  setImmediate(take)
  expect((await parsing).count).toBe(50_000)
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(4)
})

describe('a caller who has gone', () => {
  test('ends every question to a repository that is open to read, and no other', async () => {
    const commit = await commitEdits(repository, [await addFile(repository, 'a', 'a')])
    const gone = new AbortController()
    const git = world.git.calledBy({ account: () => 'ada', signal: gone.signal })
    const [reading, changing] = [git.openToRead(someUid), git.open(someUid)]
    if (reading === undefined || changing === undefined) throw new Error('there is a repository')
    const questionsTo = (one: Repository): readonly (() => Promise<unknown>)[] => [
      () => one.infoOf([tree]),
      () => one.readObject(tree, 1000),
      () => one.treeOf(commit),
      () => one.listTree(tree, { recursive: true, limit: 9 }),
      () => one.findEntries(tree, [path('a/x')]),
      () => one.log(commit, { limit: 1 }),
      () => one.countCommits(commit),
      () => one.changedPaths({ from: undefined, to: commit }, { limit: 1 }),
      () => one.lastCommits(commit, [path('a')]),
      () => one.refs(),
    ]
    for (const ask of questionsTo(reading)) await ask()
    gone.abort()
    for (const ask of questionsTo(reading)) {
      await expect(ask()).rejects.toMatchObject({ name: 'AbortError' })
    }
    for (const ask of questionsTo(changing)) await ask()
  })

  test('ends a commit before it is written', async () => {
    const edit = await addFile(repository, 'new', 'new')
    const changing = repository.changeTree(tree, [edit], { signal: AbortSignal.abort() })
    await expect(changing).rejects.toMatchObject({ name: 'AbortError' })
  })
})
