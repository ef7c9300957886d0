/** A release is what was committed, the same from every run, and stays on this machine. */

import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { isInstalled, pythonVerifier } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sumOf } from '../artifacts.ts'
import { commitAndTag, git, headOf } from '../git.ts'
import { outOfStep, readWorkspace } from '../manifests.ts'
import { npmOffline } from '../npm.ts'
import { planRelease } from '../plan.ts'
import type { Sbom } from '../sbom.ts'
import { type Registry, startRegistry } from './registry.ts'
import {
  type Ended,
  everythingIn,
  notMade,
  type Repository,
  repository,
  runRelease,
  unreleased,
} from './repository.ts'

const date = '2026-02-03'
const isSoak = rounds(0, 1) === 1

const wheels = isInstalled(pythonVerifier) ? ['own-0.1.1-py3-none-any.whl'] : []
if (wheels.length === 0) console.warn('NOT TESTED: wheels, because what builds them is not here')
const warned = wheels.length === 0 ? notMade : ''

const inMetadata = (name: string) => `own-0.1.1.dist-info/${name}`
const listing = `import sys, zipfile
for one in zipfile.ZipFile(sys.argv[1]).infolist():
  print('-'.join(f'{part:02}' for part in one.date_time[:3]), one.filename)`

function contentOf(tarball: string): Readonly<Record<string, string>> {
  const tar = (...words: string[]) => execFileSync('tar', words, { encoding: 'utf8' })
  const names = tar('-tf', tarball).trim().split('\n')
  return Object.fromEntries(names.map((name) => [name, tar('-xOf', tarball, name)]))
}

describe('a release', () => {
  const folders = [sharedFolder(), sharedFolder()] as const
  let made: Repository
  let registry: Registry
  let dryRun: Ended
  let ended: Ended
  let states: Map<string, string>[]
  const file = (name: string) => join(made.root, 'release/0.1.1', name)

  beforeAll(async () => {
    registry = await startRegistry(folders[1])
    made = repository(join(folders[0], 'made'))
    // As a build of other files would leave it behind.
    made.write('packages/two/dist/stray.js', 'stray')
    states = [everythingIn(made.root)]
    dryRun = await runRelease(made.root, ['--dry-run'], registry.env)
    states.push(everythingIn(made.root))
    ended = await runRelease(made.root, [], registry.env)
  })
  afterAll(() => registry.close())

  test('connects to no registry', () => {
    expect([dryRun.status, ended.status, registry.requests]).toEqual([0, 0, []])
    expect(ended.stdout).toContain('Nothing was uploaded.')
  })

  test('changes nothing in a dry run', () => {
    expect(states[1]).toEqual(states[0])
    expect(dryRun.stdout).toMatch(/\nDry run: nothing was changed\.\n$/)
  })

  test('is shown by a dry run as it becomes', () => {
    const sums = readFileSync(file('SHA256SUMS'), 'utf8')
    const { size } = statSync(file('own-two-0.1.1.tgz'))
    for (const part of [
      'Version 0.1.1, after 0.1.0, of 1 commits\n  fix 1, breaking 0\n',
      '  ## 0.1.1 - ',
      '  packages/one/package.json\n',
      `own-two-0.1.1.tgz, ${size} bytes\n        56  dist/index.js\n`,
      'CycloneDX 1.5, 4 components',
      sums.replace(/^(?=.)/gm, '  '),
    ]) {
      expect([dryRun.stdout, ended.stdout]).toEqual([
        expect.stringContaining(part),
        expect.stringContaining(part),
      ])
    }
  })

  test('is a commit with a tag that git push takes along', () => {
    const { root } = made
    expect(git(root, 'log', '-1', '--format=%s')).toBe('chore(release): 0.1.1')
    expect(git(root, 'rev-parse', 'v0.1.1^{commit}')).toBe(headOf(root))
    expect(git(root, 'cat-file', '-t', 'v0.1.1')).toBe('tag')
    expect(git(root, 'status', '--porcelain')).toBe('')
  })

  test('has one version everywhere, and the lockfile that npm would write', () => {
    const workspace = readWorkspace(made.root)
    expect([workspace.manifests.get('')?.version, outOfStep(workspace)]).toEqual(['0.1.1', []])
    const { dependencies } = workspace.manifests.get('packages/two') ?? {}
    const { devDependencies } = workspace.manifests.get('packages/kit') ?? {}
    expect([dependencies, devDependencies]).toEqual([{ one: '^0.1.1' }, { '@own/two': '~0.1.1' }])
    expect(made.read('clients/python/pyproject.toml')).toContain('\nversion = "0.1.1"\n')
    const lockfile = made.read('package-lock.json')
    npmOffline(made.root, 'install', '--package-lock-only')
    expect(made.read('package-lock.json')).toBe(lockfile)
  })

  test('keeps what was written by hand at the head of its section', () => {
    expect(made.read('CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 0\.1\.1 - \d{4}-\d\d-\d\d\n\n### Added\n\n- Ones\.\n[\s\S]*\*\*one\*\*: one is 1/,
    )
  })

  test('holds packages that are not private, built for their version from committed files alone', () => {
    const names = readdirSync(join(made.root, 'release/0.1.1'))
    expect(names.toSorted()).toEqual([
      'SHA256SUMS',
      'one-0.1.1.tgz',
      ...wheels,
      'own-two-0.1.1.tgz',
      'sbom.cdx.json',
    ])
    expect(contentOf(file('own-two-0.1.1.tgz'))).toEqual({
      'package/dist/index.js': '// 0.1.1 packages/one/index.js node_modules/zod/index.js',
      'package/package.json': made.read('packages/two/package.json'),
    })
  })

  test('has sums that sha256sum agrees with', () => {
    const options = { cwd: join(made.root, 'release/0.1.1'), encoding: 'utf8' } as const
    const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], options)
    const names = ['one-0.1.1.tgz', ...wheels, 'own-two-0.1.1.tgz', 'sbom.cdx.json']
    expect(said).toBe(names.map((name) => `${name}: OK\n`).join(''))
  })

  test('has a bill of materials with the sums of its tarballs', () => {
    const { components }: Sbom = JSON.parse(readFileSync(file('sbom.cdx.json'), 'utf8'))
    for (const [name, tarball] of [
      ['one', 'one-0.1.1.tgz'],
      ['@own/two', 'own-two-0.1.1.tgz'],
    ] as const) {
      const { hashes } = components.find((component) => component.name === name) ?? {}
      expect(hashes).toEqual([{ alg: 'SHA-256', content: sumOf(file(tarball)) }])
    }
  })

  test('is made again from its tag, byte for byte, elsewhere and by another user', async () => {
    const root = join(temporaryFolder(), 'again')
    cpSync(made.root, root, { recursive: true, verbatimSymlinks: true })
    const umask = process.umask(0o077)
    onTestFinished(() => void process.umask(umask))
    const again = () => runRelease(root, ['--verify', '0.1.1'])
    // A run makes everything anew. In the usual one, that no other file differs says that they are the same.
    if (isSoak) expect(await again()).toMatchObject({ status: 0, stderr: warned })
    const sums = join(root, 'release/0.1.1/SHA256SUMS')
    const differing = (files: string) => ({
      status: 1,
      stderr: `${warned}Made again from v0.1.1, these differ: ${files}. Compare with the Node and npm of the release.\n`,
    })
    const before = readFileSync(sums, 'utf8')
    writeFileSync(sums, `${before}${'0'.repeat(64)}  never-made.tgz\n`)
    expect(await again()).toMatchObject(differing('never-made.tgz'))
    if (!isSoak) return
    // The first sum is another, and the last is not there.
    const spoilt = before.replace(/^./, (digit) => (digit === '0' ? '1' : '0')).replace(/.*\n$/, '')
    writeFileSync(sums, spoilt)
    expect(await again()).toMatchObject(differing('one-0.1.1.tgz, sbom.cdx.json'))
  })

  test.runIf(wheels.length > 0)(
    'has a wheel of the version and its date, with modules alone',
    () => {
      const words = ['-c', listing, file(wheels[0] ?? '')]
      const said = execFileSync(pythonVerifier.python, words, { encoding: 'utf8' })
      const [, day] = /^## 0\.1\.1 - (.*)$/m.exec(made.read('CHANGELOG.md')) ?? []
      const files = ['own/__init__.py', ...['METADATA', 'WHEEL', 'RECORD'].map(inMetadata)]
      expect(said).toBe(files.map((name) => `${day} ${name}\n`).join(''))
    },
  )
})

test('the first release has the version that is written already', () => {
  const made = unreleased(temporaryFolder())
  made.commit('feat!: the first thing')
  const plan = (word?: string) => planRelease(made.root, { word, date })
  expect(plan()).toMatchObject({ version: '0.1.0', last: undefined })
  expect(plan('0.1.0')).toMatchObject({ version: '0.1.0' })
  expect(plan('minor')).toMatchObject({ version: '0.2.0' })
  expect(plan('0.0.9')).toEqual({ refusal: '0.0.9 is lower than 0.1.0. Name a greater version.' })
})

test.each([
  ['a commit', 'pre-commit', 'exit 1'],
  ['a tag', 'reference-transaction', '! grep -q refs/tags/'],
])('%s that git refuses leaves everything as it was', (_, hook, command) => {
  const { root, write } = repository(temporaryFolder())
  write(`.git/hooks/${hook}`, `#!/bin/sh\n${command}\n`)
  chmodSync(join(root, '.git/hooks', hook), 0o755)
  const state = () => [headOf(root), git(root, 'status', '--porcelain'), git(root, 'tag')]
  const before = state()
  write('CHANGELOG.md', 'new')
  expect(commitAndTag(root, '0.2.0', ['CHANGELOG.md'])).toBe(false)
  expect(state()).toEqual(before)
})
