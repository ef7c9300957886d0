/** Folders, commits and tags that the forge writes by itself: as git writes them. */

import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { type CommitHash, tagName, unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ObjectHash, parseTreePath, type Repository } from '../../src/git/index.ts'
import { messageForGit, nameForGit, plain } from '../../src/git/objects/write-commit.ts'
import { writeObject } from '../../src/git/objects/write-object.ts'
import { addFile, askGit, commitEdits, openWorld, path, type World } from './world.ts'

const folder = sharedFolder()
let world: World
let repository: Repository
let place: string
beforeAll(async () => {
  world = await openWorld(folder)
  repository = world.repository
  place = world.place
})
afterAll(() => world.git.close())

/** `git commit-tree` takes the bytes of a noncharacter for Latin-1, and writes another text. */
const noncharacter = /\p{Noncharacter_Code_Point}/u
const words = fc.string({ unit: 'binary' }).filter((text) => !noncharacter.test(text))
const someone = fc.record({ name: words, email: fc.string() })
const at = unixSeconds(1_700_000_000)

describe('what the forge writes by itself', () => {
  test('is the commit that git makes of the same parts', async () => {
    const tree = hashOf(['mktree'], '')
    const first = commitTree(ada, ['-F', '-', tree], 'first') as CommitHash
    const commits = fc.record({ author: someone, message: words })
    await fc.assert(
      fc.asyncProperty(commits, fc.boolean(), async ({ author, message }, hasParent) => {
        const parents = hasParent ? [first] : []
        const own = await repository.writeCommit({
          ...{ tree, parents, author, committer: author, message, at },
        })
        const words = parents.flatMap((parent) => ['-p', parent])
        expect(commitTree(author, [...words, '-F', '-', tree], messageForGit(message))).toBe(own)
      }),
      { numRuns: rounds(15, 300) },
    )
  })

  test('passes git’s strictest check: folders, commits and tags', async () => {
    const names = ['a', 'a.b', 'a/b', 'a-b', 'z/ü', 'z/\u{10ffff}', 'a0', 'x/y/z'].filter(
      (name, index, all) => !all.some((other) => other.startsWith(`${name}/`)) && index >= 0,
    )
    const edits = await Promise.all(names.map((name) => addFile(repository, name, name)))
    const commit = await commitEdits(repository, edits)
    const ref = tagName('v1')
    if (ref === undefined) throw new Error('no tag')
    const tagger = { name: 'Ada <x>', email: 'ada@example.org' }
    const tag = await repository.writeTag({ commit, ref, tagger, message: 'one', at })
    const said = askGit(place, ['fsck', '--strict', '--full', '--no-dangling', commit, tag])
    expect(`${said}`).toBe('')
    const listed = `${askGit(place, ['ls-tree', '-r', '-z', '--name-only', commit])}`.split('\0')
    expect(listed.filter(Boolean).toSorted()).toEqual(names.toSorted())
  })

  test('is the folder that git makes of the same entries, whatever their order', async () => {
    const name = fc
      .stringMatching(/^[a-z.0-]{1,3}$/)
      .filter((text) => parseTreePath(text) !== undefined)
    const blob = await repository.writeBlob(Buffer.from('x'))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, fc.boolean()), { selector: ([key]) => key, minLength: 1 }),
        async (entries) => {
          const edits = entries.map(([key, isFolder]) => ({
            ...{ kind: 'add' as const, hash: blob, mode: '100644' as const },
            path: path(isFolder ? `${key}/in` : key),
          }))
          const changed = await repository.changeTree(undefined, edits)
          const inside = hashOf(['mktree', '-z'], `100644 blob ${blob}\tin\0`)
          const lines = entries.map(([key, isFolder]) =>
            isFolder ? `40000 tree ${inside}\t${key}\0` : `100644 blob ${blob}\t${key}\0`,
          )
          expect(changed).toEqual({ ok: true, tree: hashOf(['mktree', '-z'], lines.join('')) })
        },
      ),
      { numRuns: rounds(15, 300) },
    )
  })

  test('names nothing that is not there', async () => {
    const absent = '12'.repeat(20) as CommitHash
    const add = { kind: 'add', path: path('x'), hash: absent, mode: '100644' } as const
    await expect(repository.changeTree(undefined, [add])).rejects.toThrow('no such blob')
    const tree = hashOf(['mktree'], '')
    const commit = { author: ada, committer: ada, message: '', at }
    await expect(repository.writeCommit({ ...commit, tree, parents: [absent] })).rejects.toThrow(
      'no such commit',
    )
    await expect(repository.writeCommit({ ...commit, tree: absent, parents: [] })).rejects.toThrow(
      'no such tree',
    )
  })

  test('leaves a file alone that is there, and no draft behind', async () => {
    const wrote: string[] = []
    const tools = { folder: place, wrote: (hash: string) => void wrote.push(hash) }
    const content = Buffer.from('tree 0\n')
    const hash = await writeObject(tools, 'tag', content)
    const file = join(place, 'objects', hash.slice(0, 2), hash.slice(2))
    expect(inflateSync(readFileSync(file)).equals(Buffer.from('tag 7\0tree 0\n'))).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o444)
    chmodSync(file, 0o644)
    writeFileSync(file, 'another')
    await Promise.all([1, 2, 3].map(() => writeObject(tools, 'tag', content)))
    expect(readFileSync(file, 'utf8')).toBe('another')
    // Its folder is synced again: another request may not have come so far.
    expect(wrote).toEqual([hash, hash, hash, hash])
    expect(readdirSync(join(place, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual(
      [],
    )
    execFileSync('rm', ['-f', file])
  })
})

const ada = { name: 'Ada', email: 'ada@example.org' }

function hashOf(words: readonly string[], input: string | Buffer): ObjectHash {
  return `${askGit(place, words, input)}`.trim() as ObjectHash
}

/** Git cleans names and addresses, too. */
function commitTree(
  { name, email }: typeof ada,
  words: readonly string[],
  input: string,
): ObjectHash {
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, nameForGit(name)],
      [`GIT_${role}_EMAIL`, plain(email)],
      [`GIT_${role}_DATE`, `@${at} +0000`],
    ]),
  )
  const own = { PATH: process.env['PATH'], GIT_DIR: place, GIT_CONFIG_GLOBAL: '/dev/null', ...env }
  return `${execFileSync('git', ['commit-tree', ...words], { input, env: own, stdio: 'pipe' })}`.trim() as ObjectHash
}
