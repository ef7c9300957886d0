import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { parseCommitHash } from '@latchkey/protocol'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Edit,
  type ListRequest,
  type ObjectHash,
  parseObjectHash,
  parseTreePath,
  type Repository,
} from '../../src/git/index.ts'
import { askGit, openWorld, path, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
let blob: ObjectHash
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  blob = await repository.writeBlob(Buffer.from('content'))
})
afterAll(() => world.git.close())

const add = (text: string): Edit => ({ kind: 'add', path: path(text), hash: blob, mode: '100644' })
const remove = (text: string): Edit => ({ kind: 'delete', path: path(text) })
const removeFolder = (text: string): Edit => ({ kind: 'delete-folder', path: path(text) })
const copy = (from: string, to: string): Edit => ({
  kind: 'copy',
  from: path(from),
  path: path(to),
})

async function change(
  base: ObjectHash | undefined,
  ...edits: readonly Edit[]
): Promise<ObjectHash> {
  const changed = await repository.changeTree(base, edits)
  if (!changed.ok) throw new Error(`${changed.refusal}: ${changed.edit.path}`)
  return changed.tree
}

/** The files of a folder, as git lists them. */
function filesOf(tree: ObjectHash): readonly string[] {
  const said = askGit(world.place, ['ls-tree', '-r', '-z', '--name-only', tree]).toString()
  return said.split('\0').slice(0, -1)
}

/** All pages of a listing, one after the other. */
async function pathsOf(
  tree: ObjectHash,
  request: Omit<ListRequest, 'after'>,
): Promise<readonly string[]> {
  const paths: string[] = []
  let after: string | undefined
  do {
    const page = await repository.listTree(tree, { ...request, after })
    expect(page?.entries.length).toBeLessThanOrEqual(request.limit)
    paths.push(...(page?.entries ?? []).map((entry) => entry.path))
    after = page?.next
  } while (after !== undefined)
  return paths
}

describe('a path', () => {
  test.each([
    ...['', '/', 'a/', '/a', 'a//b', '.', '..', 'a/../b', 'a\0b', '\ud800', 'x'.repeat(256)],
    ...[
      '.git',
      'a/.GIT/hooks',
      'git~1',
      '.git ',
      '.git...',
      '.git::$INDEX_ALLOCATION',
      '.g\u200cit',
      'a\\.git',
    ],
    `${'long/'.repeat(900)}x`,
  ])('that leads elsewhere or cannot be checked out is none: %j', (text) => {
    expect(parseTreePath(text)).toBeUndefined()
  })

  // biome-ignore format: a list is read line by line
  const names = [
    'a', '-rf', '.gitattributes', '.github/x', 'a b/ü/🙂', '*',
    ':(glob)**', 'a\nb', '...', 'git~10', '.git2',
  ]

  describe('that is unusual', () => {
    let tree: ObjectHash
    beforeAll(async () => {
      tree = await change(undefined, ...names.map(add))
    })

    test('is one for git', () => {
      expect(filesOf(tree).toSorted()).toEqual(names.toSorted())
    })

    test.each(names)('may be %j', async (text) => {
      expect((await repository.findEntries(tree, [path(text)])).get(path(text))).toMatchObject({
        ...{ path: text, kind: 'file', mode: '100644', hash: blob },
      })
    })
  })
})

describe('edits', () => {
  test('are refused as a whole when there is nothing to delete or to copy', async () => {
    const base = await change(undefined, add('a/b'), add('c'))
    for (const edit of [
      remove('x'),
      remove('a'),
      remove('a/x'),
      remove('c/x'),
      removeFolder('c'),
      removeFolder('a/b'),
      copy('x', 'y'),
    ]) {
      const changed = await repository.changeTree(base, [add('new'), edit])
      expect(changed).toEqual({ ok: false, edit, refusal: 'missing' })
    }
    const changed = await repository.changeTree(undefined, [copy('x', 'y')])
    expect(changed).toMatchObject({ ok: false, refusal: 'missing' })
  })

  test('replace no folder by a file and no file by a folder', async () => {
    const base = await change(undefined, add('a/b'), add('c'))
    const refusalOf = async (edit: Edit) => await repository.changeTree(base, [edit])
    expect(await refusalOf(add('a'))).toMatchObject({ refusal: 'folder-in-the-way' })
    expect(await refusalOf(copy('c', 'a'))).toMatchObject({ refusal: 'folder-in-the-way' })
    expect(await refusalOf(add('c/d'))).toMatchObject({ refusal: 'file-in-the-way' })
    expect(await refusalOf(copy('c', 'c/d'))).toMatchObject({ refusal: 'file-in-the-way' })
    // A few copies of folders would make more files than anybody can list.
    expect(await refusalOf(copy('a', 'e'))).toMatchObject({ refusal: 'missing' })
  })

  test('are made in their order, and copies are of what was before', async () => {
    const base = await change(undefined, add('a/b'), add('a/c'), add('d'))
    expect(filesOf(await change(base, removeFolder('a'), add('a')))).toEqual(['a', 'd'])
    expect(filesOf(await change(base, remove('a/b'), remove('a/c'), add('a')))).toEqual(['a', 'd'])
    expect(filesOf(await change(base, remove('d'), add('d/e')))).toEqual(['a/b', 'a/c', 'd/e'])
    const moved = await change(base, removeFolder('a'), copy('a/b', 'z/b'), copy('a/b', 'z/new'))
    expect(filesOf(moved)).toEqual(['d', 'z/b', 'z/new'])
  })

  test('that change nothing give the same folder, and none at all the empty one', async () => {
    const base = await change(undefined, add('a/b'), add('c'))
    expect(await change(base)).toBe(base)
    expect(await change(base, add('a/b'))).toBe(base)
    expect(filesOf(await change(base, removeFolder('a'), remove('c')))).toEqual([])
    expect(await change(undefined)).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  })

  test('name what is stored', async () => {
    const hash = parseObjectHash('12'.repeat(20)) ?? blob
    const edit: Edit = { kind: 'add', path: path('a'), hash, mode: '100644' }
    await expect(repository.changeTree(undefined, [edit])).rejects.toMatchObject({ reason: 'exit' })
  })

  test('keep the mode of a file that they copy', async () => {
    const executable: Edit = { kind: 'add', path: path('run'), hash: blob, mode: '100755' }
    const tree = await change(await change(undefined, executable), copy('run', 'bin/run'))
    const found = await repository.findEntries(tree, [path('bin/run')])
    expect(found.get(path('bin/run'))).toMatchObject({ mode: '100755' })
  })
})

describe('a listing', () => {
  const names = ['a', 'a-b', 'a.b', 'ab/x', 'a0', 'b/c/d', 'b/c/e/f', 'b/d', 'z']

  test('has the same order on every page size, and nothing twice', async () => {
    const tree = await change(undefined, ...names.map(add))
    const said = askGit(world.place, ['ls-tree', '-r', '-t', '-z', '--name-only', tree]).toString()
    const all = said.split('\0').slice(0, -1)
    for (const limit of [1, 2, 3, 5, 100]) {
      expect(await pathsOf(tree, { recursive: true, limit })).toEqual(all)
      expect(await pathsOf(tree, { limit })).toEqual(['a', 'a-b', 'a.b', 'a0', 'ab', 'b', 'z'])
      expect(await pathsOf(tree, { path: path('b'), recursive: true, limit })).toEqual(
        all.filter((name) => name.startsWith('b/')),
      )
    }
  })

  test('shows every file of a folder that lies wholly behind the page before', async () => {
    const names = ['one/8', 'one/9', 'two/1', 'two/2', 'two/in/1']
    const tree = await change(undefined, ...names.map(add))
    for (const limit of [2, 3]) {
      const paths = await pathsOf(tree, { recursive: true, limit })
      expect(paths.filter((one) => names.includes(one))).toEqual(names)
    }
  })

  test('goes on behind a name that has gone meanwhile', async () => {
    const tree = await change(undefined, ...names.map(add))
    const page = await repository.listTree(tree, { recursive: true, limit: 7 })
    expect(page?.entries.at(-1)?.path).toBe('b')
    const later = await change(tree, removeFolder('b'))
    const rest = await repository.listTree(later, { recursive: true, limit: 7, after: page?.next })
    expect(rest?.entries.map((entry) => entry.path)).toEqual(['z'])
  })

  test('of what is no folder, or not there, is none', async () => {
    const tree = await change(undefined, ...names.map(add))
    expect(await repository.listTree(tree, { path: path('a'), limit: 1 })).toBeUndefined()
    expect(await repository.listTree(tree, { path: path('a/x'), limit: 1 })).toBeUndefined()
    expect(await repository.listTree(tree, { path: path('nothing'), limit: 1 })).toBeUndefined()
  })

  test('shows symbolic links and submodules, and follows neither', async () => {
    const elsewhere = parseCommitHash('12'.repeat(20))
    const lines = [
      `120000 blob ${blob}\tlink`,
      `160000 commit ${elsewhere}\tsub`,
      `100644 blob ${blob}\tz`,
    ]
    const tree = writeTree(lines.map((line) => `${line}\0`).join(''))
    const page = await repository.listTree(tree, { recursive: true, limit: 9 })
    expect(page?.entries.map(({ path, kind }) => [path, kind])).toEqual([
      ['link', 'symlink'],
      ['sub', 'submodule'],
      ['z', 'file'],
    ])
    const found = await repository.findEntries(tree, [path('link/x'), path('sub/x'), path('link')])
    expect([...found.keys()]).toEqual(['link'])
    expect(filesOf(await change(tree, add('y')))).toEqual(['link', 'sub', 'y', 'z'])
  })

  test('shows names that are no UTF-8, page by page, and edits beside them keep their bytes', async () => {
    const raw = ['\xff', '\xff\xfe', 'a\xe4', '\xc3\xa4', 'dir\xff'].map((name) => {
      return name.startsWith('dir')
        ? `040000 tree ${emptyTree}\t${name}`
        : `100644 blob ${blob}\t${name}`
    })
    await change(undefined)
    const tree = writeTree(Buffer.from(raw.map((line) => `${line}\0`).join(''), 'latin1'))
    const shown = ['a\ufffd', 'dir\ufffd', 'ä', '\ufffd', '\ufffd\ufffd']
    for (const limit of [1, 2, 9])
      expect(await pathsOf(tree, { recursive: true, limit })).toEqual(shown)
    const found = await repository.findEntries(tree, ['a\ufffd', '\ufffd', 'ä'].map(path))
    expect([...found.keys()]).toEqual(['ä'])
    const later = await change(tree, add('new'), remove('ä'))
    const said = askGit(world.place, ['ls-tree', '-z', '--name-only', later]).toString('latin1')
    expect(said).toBe('a\xe4\0dir\xff\0new\0\xff\0\xff\xfe\0')
  })

  test('of folders deeper than anybody makes is refused, not followed to the end', async () => {
    const levels = Array.from({ length: 520 })
    const tree = levels.reduce<ObjectHash>(folderAround, await change(undefined, add('x')))
    const listing = repository.listTree(tree, { recursive: true, limit: 10_000 })
    await expect(listing).rejects.toMatchObject({ reason: 'too-large' })
    expect(
      (await repository.listTree(tree, { recursive: true, limit: 100 }))?.entries,
    ).toHaveLength(100)
  })
})

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

function writeTree(lines: string | Buffer): ObjectHash {
  const said = askGit(world.place, ['mktree', '-z', '--missing'], lines).toString().trim()
  return parseObjectHash(said) ?? blob
}

/** Stored without git, which would take a process for each. */
function folderAround(hash: ObjectHash): ObjectHash {
  const entry = Buffer.concat([Buffer.from('40000 d\0'), Buffer.from(hash, 'hex')])
  const object = Buffer.concat([Buffer.from(`tree ${entry.length}\0`), entry])
  const name = createHash('sha1').update(object).digest('hex')
  const into = join(world.place, 'objects', name.slice(0, 2))
  mkdirSync(into, { recursive: true })
  writeFileSync(join(into, name.slice(2)), deflateSync(object))
  return parseObjectHash(name) ?? hash
}
