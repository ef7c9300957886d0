/** Paths are matched as git matches them in a work tree, and never for long. */

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere, realGit } from '../real-git.ts'
import { rounds } from '../rounds.ts'
import { arbitraryPath, arbitraryPattern } from './arbitrary-patterns.ts'
import { openWorld, someUid, type World } from './world.ts'

const texts = rounds(6, 500)
const paths = fc.uniqueArray(arbitraryPath, { minLength: 60, maxLength: 60 })

const end = fc.constantFrom('\n', '\n', '\n', ' \n', '\\ \n', '\r\n', '\t\n', '')
const ignoreLine = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', ' ', '#', '\\!'),
    arbitraryPattern,
    fc.constantFrom('', '/'),
    end,
  )
  .map((parts) => parts.join(''))

const attributes = fc.constantFrom(
  ...['filter=lfs', 'filter=lfs diff=lfs merge=lfs -text', '-filter', '!filter', 'filter', 'text'],
  ...[
    'filter=other',
    'large',
    '-large',
    '!large',
    'large=x',
    'filter=lfs -filter',
    '',
    'filter=',
    '=x',
  ],
  ...['-filter=lfs', 'binary', 'b@d filter=lfs', 'outer', 'outer -large', '--filter'],
)
const quotedPattern = arbitraryPattern.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)
const attributesLine = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '', '', ' ', '\t', '!', '#'),
        fc.oneof(
          { weight: 6, arbitrary: arbitraryPattern.map((text) => text.replaceAll(' ', '')) },
          quotedPattern,
        ),
        fc.constantFrom(' ', '  ', '\t'),
        attributes,
        fc.constantFrom('\n', '\n', '\r\n', ' \n'),
      )
      .map((parts) => parts.join('')),
  },
  fc.constantFrom(
    ...['[attr]large filter=lfs -text\n', '[attr]large -filter\n', '[attr]outer large\n'],
    ...[
      '[attr] large filter=lfs\n',
      '[attr]b@d filter=lfs\n',
      '"\\141" filter=lfs\n',
      '"a\\q" filter=lfs\n',
    ],
    ...[
      '"a b" filter=lfs\n',
      '"a filter=lfs\n',
      '[attr]outer outer filter=x\n',
      '\n',
      '"a"filter=lfs\n',
    ],
  ),
)

describe.skipIf(!isGitThere)('paths are matched as git matches them', () => {
  const git = realGit()
  const folder = sharedFolder()
  let world: World
  beforeAll(async () => {
    world = await openWorld(folder, { bounds: { matchCpuSeconds: 1 } })
  })
  afterAll(() => {
    world?.git.close()
    // The question leaves no file behind.
    expect(readdirSync(join(folder, 'repositories'))).toEqual([`${someUid}.git`])
  })

  test('by .gitignore', async () => {
    const text = fc.array(ignoreLine, { minLength: 1, maxLength: 6 }).map((lines) => lines.join(''))
    await fc.assert(
      fc.asyncProperty(text, paths, async (ignore, asked) => {
        writeFileSync(join(git.folder, '.gitignore'), ignore)
        const args = ['check-ignore', '--no-index', '--stdin', '-z', '-v', '-n']
        const fields = git.run(args, bytes(asked)).split('\0')
        // Source, line, pattern and path of each.
        const expected = asked.map((_, at) => {
          const pattern = fields[at * 4 + 2] ?? ''
          return pattern !== '' && !pattern.startsWith('!')
        })
        expect(await world.git.ignoredOf({ text: ignore, paths: asked })).toEqual(expected)
      }),
      { numRuns: texts },
    )
  })

  test('by .gitattributes', async () => {
    const text = fc
      .array(attributesLine, { minLength: 1, maxLength: 6 })
      .map((lines) => lines.join(''))
    await fc.assert(
      fc.asyncProperty(text, paths, async (given, asked) => {
        writeFileSync(join(git.folder, '.gitattributes'), given)
        const told = git.run(['check-attr', '--stdin', '-z', 'filter'], bytes(asked)).split('\0')
        const expected = asked.map((_, at) => told[at * 3 + 2])
        expect(await world.git.filtersOf({ text: given, paths: asked })).toEqual(expected)
      }),
      { numRuns: texts },
    )
  })

  test('with signs of git at their start, and files of a repository in their way', async () => {
    const paths = [':(top)a.log', '-a.log', 'rules/a.log', 'HEAD', 'tree/x', '.git/config']
    expect(await world.git.ignoredOf({ text: '*.log\nHEAD\n', paths })).toEqual([
      ...[true, true, true, true, false, false],
    ])
    expect(await world.git.filtersOf({ text: '*.log filter=lfs\n', paths })).toEqual([
      ...['lfs', 'lfs', 'lfs', 'unspecified', 'unspecified', 'unspecified'],
    ])
  })

  test('each by itself, however many there are', async () => {
    const paths = Array.from({ length: 1200 }, (_, at) => `${at}.${at % 3 === 0 ? 'bin' : 'txt'}`)
    const isBinary = paths.map((path) => path.endsWith('.bin'))
    expect(await world.git.ignoredOf({ text: '*.bin\n', paths })).toEqual(isBinary)
    const filters = await world.git.filtersOf({ text: '*.bin filter=lfs\n', paths })
    expect(filters.map((filter) => filter === 'lfs')).toEqual(isBinary)
  })

  test('by a text without patterns: no path is named', async () => {
    expect(await world.git.ignoredOf({ text: '# x\n', paths: ['a'] })).toEqual([false])
    expect(await world.git.filtersOf({ text: '', paths: ['a'] })).toEqual(['unspecified'])
  })

  test('until git has taken its processor time: then the kernel ends it', async () => {
    const part = 'a'.repeat(250)
    const paths = Array.from({ length: 1000 }, (_, at) => `${at}${part}${`/${part}`.repeat(14)}`)
    // Several times as much as the quickest machine does in that time.
    const text = `${'?*'.repeat(900)}/b filter=lfs\n`.repeat(5000)
    const asked = world.git.filtersOf({ text, paths })
    await expect(asked).rejects.toMatchObject({ name: 'GitFailed', reason: 'cpu' })
  })
})

function bytes(asked: readonly string[]): string {
  return Buffer.from(asked.map((path) => `${path}\0`).join('')).toString('latin1')
}
