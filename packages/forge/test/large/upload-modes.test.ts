/** Which files of an upload git holds, and which the storage holds. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, refuse } from '@latchkey/protocol'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Git, GitFailed, type MatchRequest, openGit } from '../../src/git/index.ts'
import { firstAttributes } from '../../src/large-files/first-attributes.ts'
import { pathRules, trackLargeFiles } from '../../src/large-files/path-rules.ts'
import { readPreupload } from '../../src/large-files/read-preupload.ts'
import { chooseUploadModes, largestRegularBytes } from '../../src/large-files/upload-modes.ts'
import { type FilePath, parseFilePath } from '../../src/words/file-path.ts'
import { isGitThere, realGit } from '../real-git.ts'
import { rounds } from '../rounds.ts'

const folder = sharedFolder()
let git: Git
beforeAll(async () => {
  git = await openGit({ folder })
})
afterAll(() => git?.close())

const rules = {
  filtersOf: (request: MatchRequest) => pathRules(git).filtersOf(request),
  ignoredOf: (request: MatchRequest) => pathRules(git).ignoredOf(request),
}

const pathOf = (text: string): FilePath => {
  const path = parseFilePath(text)
  return isRefusal(path) ? expect.unreachable(path.detail) : path
}

async function modeOf(
  path: string,
  size: number,
  sample = 'plain text',
  gitattributes = '',
  gitIgnore = '',
) {
  const offered = [
    { path: pathOf(path), sizeBytes: size, sample: Buffer.from(sample).toString('base64') },
  ]
  const modes = await chooseUploadModes(offered, { rules, gitattributes, gitIgnore })
  if (isRefusal(modes)) return modes.detail
  const [mode] = modes
  return `${mode?.uploadMode}${mode?.shouldIgnore ? ' ignored' : ''}`
}

describe.skipIf(!isGitThere)('a file is uploaded', () => {
  // biome-ignore format: a table is read by its columns
  test.each([
    ['a text',                              'lfs' as string,  'a.txt', largestRegularBytes + 1, 'text', '* -filter'],
    ['a text of the largest size',          'regular', 'a.txt', largestRegularBytes,     'text', ''],
    ['an empty file',                       'regular', 'a.bin', 0,                       '',     '* filter=lfs'],
    ['by its pattern',                      'lfs',     'a.txt', 5,                       'text', '*.txt filter=lfs'],
    ['by its content',                      'lfs',     'a',     5,                       '\0\x01', ''],
    ['by its pattern against its content',  'regular', 'a',     5,                       '\0\x01', 'a -filter'],
    ['by its content under another filter', 'regular', 'a',     5,                       '\0',   'a filter=x'],
    ['as git must read it',                 'regular', '.gitattributes', 5,              'text', '* filter=lfs'],
    ['a text with colours and accents',     'regular', 'a',     5,                       '\x1b[1mé\r\n\t', ''],
    ['after the first commit: weights',     'lfs',     'x/model.safetensors', 5,         'text', firstAttributes],
    ['after the first commit: a card',      'regular', 'README.md', 5,                   'text', firstAttributes],
    ['after the first commit: a config',    'regular', 'config.json', 5,                 '{}',   firstAttributes],
    ['after the first commit: a saved one', 'lfs',     'saved_model/a/b', 5,             'text', firstAttributes],
  ])('%s: %s', async (_, mode, path, size, sample, attributes) => {
    expect(await modeOf(path, size, sample, attributes)).toBe(mode)
  })

  test('or left out, as .gitignore says', async () => {
    expect(await modeOf('build/x', 5, 'text', '', 'build/\n!build/x')).toBe('regular ignored')
    expect(await modeOf('keep.log', 5, 'text', '', '*.log\n!keep.log')).toBe('regular')
  })

  test.each(['cpu', 'crash'] as const)('unless the patterns end git: %s', async (reason) => {
    const fail = () => Promise.reject(new GitFailed(reason, 'check-attr ended'))
    const failing = pathRules({ filtersOf: fail, ignoredOf: fail })
    const files = [{ path: pathOf('a'), sizeBytes: 5, sample: '' }]
    const detail =
      'The patterns of .gitattributes take too long for these paths. Use fewer lines and wildcards, or send fewer files at once.'
    expect(await chooseUploadModes(files, { rules: failing, gitattributes: '' })).toEqual(
      refuse('bad_request', detail),
    )
  })

  test('unless the patterns are too long', async () => {
    expect(await modeOf('a', 5, '', 'x'.repeat(2 ** 20 + 1))).toBe(
      '.gitattributes is longer than 1048576 bytes. Use wildcards.',
    )
    expect(await modeOf('a', 5, '', '', 'é'.repeat(2 ** 19 + 1))).toBe(
      '.gitignore is longer than 1048576 bytes. Use wildcards.',
    )
  })
})

describe.skipIf(!isGitThere)('.gitattributes', () => {
  const anyPath = fc
    .string({ unit: fc.constantFrom(...'ab/. *?[]"#!é\\'), minLength: 1, maxLength: 10 })
    .filter((path) => typeof parseFilePath(path) === 'string')
    .map(pathOf)
  const realOne = realGit()

  test('stays as it is where nothing has to be added', async () => {
    expect(await trackLargeFiles(firstAttributes, [pathOf('a.bin')], rules)).toBe(firstAttributes)
    expect(await trackLargeFiles('*.x text', [], rules)).toBe('*.x text')
  })

  test('refuses a path that git would not read there', async () => {
    const path = pathOf(Array.from({ length: 10 }, () => 'a'.repeat(250)).join('/'))
    expect(await trackLargeFiles('', [path], rules)).toMatchObject({ code: 'bad_request' })
  })

  test('names afterwards each large file, and no file beside it', async () => {
    const start = fc.constantFrom('', '*.md text', '*.md text\n', '* -filter\n')
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.uniqueArray(anyPath, { minLength: 2, maxLength: 12 }),
        async (text, paths) => {
          const half = paths.slice(0, paths.length / 2)
          const tracked = await trackLargeFiles(text, half, rules)
          if (isRefusal(tracked)) return expect.unreachable(tracked.detail)
          const filters = await git.filtersOf({ text: tracked, paths })
          expect(paths.filter((_, at) => filters[at] === 'lfs')).toEqual(half)
          expect(tracked.startsWith(text)).toBe(true)
          expect(await trackLargeFiles(tracked, half, rules)).toBe(tracked)
        },
      ),
      { numRuns: rounds(12, 1000) },
    )
  })

  test.skipIf(!isGitThere)('that was added to means the same to git', async () => {
    const paths = [...new Set(fc.sample(anyPath, 200))]
    const tracked = await trackLargeFiles('* -filter', paths, rules)
    writeFileSync(join(realOne.folder, '.gitattributes'), isRefusal(tracked) ? '' : tracked)
    const asked = Buffer.from(paths.map((path) => `${path}\0`).join('')).toString('latin1')
    const told = realOne.run(['check-attr', '--stdin', '-z', 'filter'], asked).split('\0')
    expect(paths.filter((_, at) => told[at * 3 + 2] !== 'lfs')).toEqual([])
  })
})

describe('a preupload request', () => {
  const file = { path: 'a', size: 1, sample: 'YQ==' }

  test('is read', async () => {
    expect(await readPreupload({ files: [file], gitIgnore: '*.log', more: 1 })).toEqual({
      ...{ files: [{ path: 'a', sizeBytes: 1, sample: 'YQ==' }], gitIgnore: '*.log' },
      gitAttributes: undefined,
    })
  })

  test.each([
    [null, 'files must be a list.'],
    [{ files: {} }, 'files must be a list.'],
    [{ files: [file], gitIgnore: 1 }, 'gitIgnore must be a text.'],
    [{ files: [file], gitAttributes: [] }, 'gitAttributes must be a text.'],
    [{ files: [file, { ...file, size: -1 }] }, 'size must be a number of bytes.'],
    [{ files: [{ ...file, path: '../x' }] }, 'The path "../x" has . or .. as a part.'],
    [{ files: [{ ...file, path: 1 }] }, 'path must be a text.'],
    [{ files: [{ ...file, sample: 1 }] }, 'sample must be a text.'],
    [{ files: [[]] }, 'path must be a text.'],
    [{ files: Array(1001).fill(file) }, 'files has more than 1000 members. Send them in parts.'],
  ])('is refused: %j', async (json, detail) => {
    expect(await readPreupload(json)).toMatchObject({ detail })
  })
})
