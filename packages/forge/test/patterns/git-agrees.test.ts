/** Patterns match exactly the paths that git itself says they match. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filterOf, parseAttributes } from '../../src/patterns/attributes.ts'
import { newBudget } from '../../src/patterns/glob.ts'
import { isIgnored, parseIgnore } from '../../src/patterns/ignore.ts'
import { isGitThere, realGit } from '../real-git.ts'
import { rounds } from '../rounds.ts'
import { arbitraryPath, arbitraryPattern } from './arbitrary-patterns.ts'

const texts = rounds(30, 3000)
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

describe.skipIf(!isGitThere)('paths are judged as git judges them', () => {
  const git = realGit()

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
        const rules = await parseIgnore(ignore)
        expect(asked.map((path) => isIgnored(rules, path, newBudget()))).toEqual(expected)
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
        const rules = await parseAttributes(given)
        expect(asked.map((path) => wordOf(filterOf(rules, path, newBudget())))).toEqual(expected)
      }),
      { numRuns: texts },
    )
  })
})

/** As git prints it. */
function wordOf(value: string | boolean | undefined): string {
  return value === undefined
    ? 'unspecified'
    : value === true
      ? 'set'
      : value === false
        ? 'unset'
        : value
}

function bytes(asked: readonly string[]): string {
  return Buffer.from(asked.map((path) => `${path}\0`).join('')).toString('latin1')
}
