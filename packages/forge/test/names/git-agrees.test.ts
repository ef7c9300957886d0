/** No path is accepted that git refuses, and git's own files are known in every spelling that git knows. */

import { asMacReads } from '@latchkey/protocol'
import { printedChance } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFilePath } from '../../src/words/file-path.ts'
import { specialFileOf } from '../../src/words/special-file.ts'
import { isGitThere, realGit } from '../real-git.ts'
import { rounds } from '../rounds.ts'

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

/** Names like `.git`, by the tricks that file systems allow. */
const gitLike = fc
  .array(
    fc.constantFrom(
      ...[
        '.git',
        '.git',
        '.GIT',
        'git~1',
        'git~2',
        'gi',
        't',
        '.',
        ' ',
        ':',
        '::$INDEX_ALLOCATION',
      ],
      ...['\u200c', '\ufeff', '\u206f', '\u200b', '\\', 'a', '..', '...', '\u0130'],
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pieces) => pieces.join(''))
const gitLikePath = fc
  .array(fc.oneof(gitLike, fc.constantFrom('a', 'b', '')), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))

const specialName = fc
  .array(
    fc.constantFrom(
      ...['.gitmodules', '.GitModules', '.gitattributes', '.gitignore', '.mailmap', 'gitmod~1'],
      ...[
        'gitmod~4',
        'gitmod~5',
        'gitatt~1',
        'gitign~2',
        'mailma~3',
        'gi7eba~1',
        'GI7EB~12',
        'gi7d29~9',
      ],
      ...[
        'gi250a~1',
        'gi25~111',
        'maba30~1',
        'gi7eba~0',
        'gi7e~111',
        'gi7e~1',
        '.',
        ' ',
        ':x',
        '\u200c',
      ],
      ...['x', '1'],
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((pieces) => pieces.join(''))
  .filter((name) => !/^\.{1,2}$/.test(name))

describe.skipIf(!isGitThere)('git', () => {
  const git = realGit()
  const { seed } = printedChance('names for git')

  test('takes every path that is accepted', () => {
    const asked = fc
      .sample(gitLikePath, { numRuns: rounds(3000, 100_000), seed })
      .filter((path) => path !== '')
    const accepted = asked.filter((path) => typeof parseFilePath(path) === 'string')
    // A file and a folder of one name would put each other out.
    const lines = accepted.map((path, at) => `100644 ${emptyBlob}\t${at}/${path}\0`)
    git.run(['update-index', '-z', '--add', '--index-info'], latin1(lines.join('')))
    const kept = new Set(git.run(['ls-files', '-z']).split('\0'))
    expect(accepted.filter((path, at) => !kept.has(latin1(`${at}/${path}`)))).toEqual([])
    expect(accepted.length).toBeGreaterThan(100)
  })

  test('refuses what is refused as a name of its own folder', () => {
    const asked = [...new Set(fc.sample(gitLike, { numRuns: rounds(1000, 30_000), seed }))]
    const refused = asked.filter((name) => {
      const read = parseFilePath(name)
      return typeof read !== 'string' && read.detail.includes('takes for its own folder')
    })
    // No one system ignores both these characters and dots at the end, so git takes such names.
    const plain = refused.filter(
      (name) => /^[\0-\x7f]*$/.test(name) || /^\.git$/i.test(asMacReads(name)),
    )
    const lines = plain.map((name, at) => `100644 ${emptyBlob}\tx${at}/${name}\0`)
    git.run(['update-index', '-z', '--add', '--index-info'], latin1(lines.join('')))
    const kept = new Set(git.run(['ls-files', '-z']).split('\0'))
    expect(plain.filter((name, at) => kept.has(latin1(`x${at}/${name}`)))).toEqual([])
    expect(plain.length).toBeGreaterThan(20)
  })

  test('knows its special files by the names that are known here', () => {
    const names = [...new Set(fc.sample(specialName, { numRuns: rounds(600, 20_000), seed }))]
    const trees = names.map((name) => `120000 blob ${emptyBlob}\t${name}\0\0`)
    git.run(['hash-object', '-w', '-t', 'blob', '--stdin'])
    const made = git
      .run(['mktree', '-z', '--batch'], latin1(trees.join('')))
      .trim()
      .split('\n')
    expect(made.length).toBe(names.length)
    const complaints = git.run(['fsck', '--no-dangling', '--full'])
    const found = new Map(
      Array.from(
        complaints.matchAll(/in tree ([0-9a-f]{40}): (\w+)Symlink/g),
        ([, tree, file]) => [tree, file] as const,
      ),
    )
    const judged = names.map((name, at) => {
      return { name, byGit: found.get(made[at]), byUs: specialFileOf(name) }
    })
    // What macOS and Windows ignore is ignored together here, and git looks at one system at a time.
    const isForOneSystem = (name: string) =>
      !/\u200c/.test(name) || /^\.?\w*$/.test(asMacReads(name))
    const mistaken = judged.filter(({ name, byGit, byUs }) => {
      return byGit !== byUs && (byGit !== undefined || isForOneSystem(name))
    })
    expect(mistaken).toEqual([])
    expect(judged.filter(({ byGit }) => byGit !== undefined).length).toBeGreaterThan(20)
  })
})

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
