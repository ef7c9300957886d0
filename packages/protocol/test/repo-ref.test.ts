/** Repositories as people write them. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatRepoRef, isName, parseRepoRef, repoId, repoRef } from '../src/index.ts'
import { arbitraryRepo } from './arbitraries.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300

describe('a name is refused', () => {
  test.each([
    ['when it is empty', ''],
    ['when it begins with a dot', '.a'],
    ['when it ends with a dot', 'a.'],
    ['when it begins with a dash', '-a'],
    ['when it ends with a dash', 'a-'],
    ['when it is a dot', '.'],
    ['when it climbs', '..'],
    ['when it ends with .git', 'bert.git'],
    ['when it ends with .GIT', 'bert.GIT'],
    ['when it is .git', '.git'],
    ['at 97 characters', 'a'.repeat(97)],
    ['when it holds a slash', 'a/b'],
    ['when it holds a space', 'a b'],
    ['when it holds a NUL', 'a\u0000'],
    ['when it ends with a line break', 'a\n'],
    ['when it holds a letter outside ASCII', 'bért'],
    ['when it holds a percent sign', 'a%2Fb'],
  ])('%s', (_, text) => {
    expect(isName(text)).toBe(false)
  })
})

test.each(['a', '0', '_', 'a.b-c_d', 'git', 'a.git.b', 'x.gitx', 'A'.repeat(96)])(
  'a name is accepted: %s',
  (text) => {
    expect(isName(text)).toBe(true)
  },
)

describe('a repository is refused', () => {
  test.each([
    'model/acme/bert',
    'models/acme',
    'models/acme/bert/x',
    'models//bert',
    'models/acme/',
    '/models/acme/bert',
    'Models/acme/bert',
    'models/acme/.git',
    'models/../bert',
    'models/acme/bert\n',
    'xmodels/acme/bert',
    'kernels/acme/bert',
    'models/-acme/bert',
    '',
  ])('%j', (text) => {
    expect(parseRepoRef(text)).toBeUndefined()
  })
})

test.each([
  ['an impossible namespace', '..', 'bert'],
  ['an impossible name', 'acme', '..'],
])('a repository is not made of %s', (_, namespace, name) => {
  expect(repoRef('model', namespace, name)).toBeUndefined()
})

test('a repository is written one way and read back', () => {
  fc.assert(
    fc.property(arbitraryRepo, (repo) => {
      expect(parseRepoRef(formatRepoRef(repo))).toEqual(repo)
      expect(formatRepoRef(repo)).toBe(`${repo.type}s/${repoId(repo)}`)
    }),
    { numRuns: runs },
  )
})
