/** What is not released, and in which words. */

import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { git } from '../git.ts'
import { release } from '../make-release.ts'
import { obstacles } from '../plan.ts'
import { copyOf, everythingIn, type Repository, repository, runRelease } from './repository.ts'

const date = '2026-02-03'
const shared = sharedFolder()
let whole: Repository
beforeAll(() => {
  whole = repository(shared)
})

interface Case {
  readonly spoil?: (made: Repository) => void
  readonly word?: string
  readonly refusal: string
}

function edit(made: Repository, file: string, from: string, to: string): void {
  made.write(file, made.read(file).replace(from, to))
  made.commit('fix: an edit')
  made.passTests()
}

const outOfStep = 'Versions are out of step with 0.1.0 of package.json'

// biome-ignore format: a table is read by its columns
const cases: Readonly<Record<string, Case>> = {
  'a changed file':                { spoil: (made) => made.write('build.js', ''), refusal: 'The tree has changes that are not committed (M build.js). Commit or stash them.' },
  'an unknown file':               { spoil: (made) => made.write('new.js', ''), refusal: 'The tree has changes that are not committed (?? new.js). Commit or stash them.' },
  'another branch':                { spoil: ({ root }) => git(root, 'checkout', '-qb', 'side'), refusal: 'This is side, not main; --branch side releases from here.' },
  'files that no test has seen':   { spoil: (made) => { made.write('new.js', ''); made.commit('fix: it') }, refusal: 'The tests have not passed on the last commit. Run: npm test' },
  'no commit since the last tag':  { spoil: ({ root }) => git(root, 'tag', '--force', 'v0.1.0'), refusal: 'There is no commit since v0.1.0, so there is nothing to release.' },
  'the version of the last tag':   { word: '0.1.0', refusal: 'The tag v0.1.0 exists already. Name a greater version.' },
  'a tag of another branch':       { spoil: ({ root }) => { git(root, 'checkout', '-q', '--orphan', 'side'); git(root, 'commit', '-qm', 'fix: it'); git(root, 'tag', 'v0.2.0'); git(root, 'checkout', '-q', 'main') }, word: '0.2.0', refusal: 'The tag v0.2.0 exists already. Name a greater version.' },
  'a smaller version':             { word: '0.0.9', refusal: '0.0.9 is lower than 0.1.0. Name a greater version.' },
  'a prerelease':                  { word: '0.2.0-rc.1', refusal: '0.2.0-rc.1 is neither a version like 1.2.3 nor major, minor or patch.' },
  'a word that is no version':     { word: 'latest', refusal: 'latest is neither a version like 1.2.3 nor major, minor or patch.' },
  'a package of another version':  { spoil: (made) => edit(made, 'packages/one/package.json', '0.1.0', '0.1.1'), refusal: `${outOfStep}: packages/one/package.json: 0.1.1. Make them the same.` },
  'a need of another version':     { spoil: (made) => edit(made, 'packages/kit/package.json', '~0.1.0', '^0.0.9'), refusal: `${outOfStep}: packages/kit/package.json: @own/two ^0.0.9. Make them the same.` },
  'a lockfile of another version': { spoil: (made) => edit(made, 'package-lock.json', '"one": "^0.1.0"', '"one": "*"'), refusal: `${outOfStep}: package-lock.json: packages/two: one *. Make them the same.` },
  'Python of another version':     { spoil: (made) => edit(made, 'clients/python/pyproject.toml', '0.1.0', '0.1.1'), refusal: `${outOfStep}: clients/python/pyproject.toml: 0.1.1. Make them the same.` },
  'versions that have no tag':     { spoil: ({ root }) => git(root, 'tag', 'v0.1.1', 'HEAD~1'), refusal: 'package.json says 0.1.0, and the last tag v0.1.1. Make them the same.' },
}

test.each(Object.entries(cases))(
  '%s is refused in one line, and nothing is changed',
  (_, given) => {
    const made = copyOf(whole, temporaryFolder())
    given.spoil?.(made)
    const { root } = made
    const before = everythingIn(root)
    const refused = release(root, { word: given.word, branch: 'main', isDryRun: false, date })
    expect(refused).toEqual({ refusal: given.refusal })
    expect(everythingIn(root)).toEqual(before)
  },
)

test('a branch that was named is not in the way', () => {
  const { root } = copyOf(whole, temporaryFolder())
  git(root, 'checkout', '-qb', 'side')
  expect([obstacles(root, 'side'), obstacles(root, 'main')]).toEqual([[], [expect.any(String)]])
})

test('everything in the way is said at once, a line for each', () => {
  const made = copyOf(whole, temporaryFolder())
  made.write('new.js', '')
  git(made.root, 'checkout', '-qb', 'side')
  made.commit('fix: it')
  made.write('build.js', '')
  const refused = release(made.root, { word: 'minor', branch: 'main', isDryRun: false, date })
  expect(refused?.refusal.split('\n')).toHaveLength(3)
})

test.each([
  [['1.0.0', '2.0.0']],
  [['--push']],
  [['--publish']],
  [['--publish', '0.1.0', '--dry-run']],
  [['--verify', 'minor']],
])('%j gets the usage', async (words) => {
  const { status, stderr } = await runRelease(temporaryFolder(), words)
  expect([status, stderr.split('\n')[0]]).toEqual([
    1,
    'Usage: npm run release -- [VERSION | major | minor | patch] [--dry-run] [--branch NAME]',
  ])
})

test('a dry run that npm has kept for itself does not become a release', async () => {
  const ended = await runRelease(temporaryFolder(), [], { npm_config_dry_run: 'true' })
  expect([ended.status, ended.stderr]).toEqual([
    1,
    'npm has kept --dry-run for itself. Run: npm run release -- --dry-run\n',
  ])
})
