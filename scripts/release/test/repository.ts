/** A small project of three packages in a git repository of its own, to be released. */

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { git, treeOf } from '../git.ts'
import { notePassed } from '../tests-passed.ts'

/** Said where no wheel can be made. */
export const notMade =
  'NOT MADE: the wheel for Python. What builds it is not here; npm test installs it.\n'

const script = resolve(import.meta.dirname, '../../release.ts')

/** No settings of the machine's user, who might sign commits or have hooks. */
const env = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}
Object.assign(process.env, env)

/** One way to pack is the project's own; this is the shortest. */
const pack = 'node build.js && npm pack -w one -w @own/two --pack-destination'
const manifests = {
  '': {
    name: 'root',
    private: true,
    workspaces: ['packages/*'],
    scripts: { 'pack:all': pack },
    devDependencies: { brought: '^1.0.0', tool: '^1.0.0' },
  },
  'packages/one': { name: 'one', exports: './index.js', dependencies: { zod: '^4.0.0' } },
  'packages/two': {
    name: '@own/two',
    files: ['dist'],
    dependencies: { one: '^0.1.0' },
    devDependencies: { bundled: '^1.0.0' },
    peerDependencies: { brought: '^1.0.0' },
    peerDependenciesMeta: { brought: { optional: true } },
  },
  'packages/kit': {
    name: '@own/kit',
    private: true,
    devDependencies: { '@own/two': '~0.1.0' },
  },
}

const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`
const other = { version: '1.0.0', integrity }
/** Packages of others, as npm writes them: also one that is bundled, one that users may bring and one for tests. */
const others = {
  'node_modules/brought': { ...other, devOptional: true, license: 'MIT' },
  'node_modules/bundled': { ...other, dev: true, license: 'ISC' },
  'node_modules/tool': { ...other, devOptional: true, license: 'MIT' },
  'node_modules/zod': {
    ...other,
    version: '4.0.0',
    license: 'MIT',
    peerDependencies: { tool: '^1.0.0' },
    peerDependenciesMeta: { tool: { optional: true } },
  },
}

export interface Repository {
  readonly root: string
  write(file: string, text: string): void
  read(file: string): string
  commit(message: string): void
  /** As if the test command had passed. */
  passTests(): void
}

/** At 0.1.0, tested, with a tag and a commit after it. */
export function repository(root: string): Repository {
  const made = unreleased(root)
  made.commit('feat: the first thing')
  git(made.root, 'tag', '--annotate', 'v0.1.0', '--message', '0.1.0')
  made.write('packages/one/index.js', 'export const one = 1\n')
  made.commit('fix(one): one is 1')
  made.passTests()
  return made
}

/** The same without a process of git for each of its parts. */
export function copyOf(made: Repository, root: string): Repository {
  cpSync(made.root, root, { recursive: true, verbatimSymlinks: true })
  return repositoryIn(root)
}

/** Every file, also the ignored ones, and what git knows besides its objects. */
export function everythingIn(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('objects'))
  const names = files.map(({ parentPath, name }) => join(parentPath, name))
  return new Map(names.map((name) => [name, readFileSync(name, 'latin1')]))
}

/** Nothing was committed or released. */
export function unreleased(root: string): Repository {
  const made = repositoryIn(root)
  writeProject(made)
  git(root, 'init', '--quiet', '--initial-branch', 'main')
  return made
}

function repositoryIn(root: string): Repository {
  const file = (name: string) => join(root, name)
  return {
    root,
    write(name, text) {
      mkdirSync(dirname(file(name)), { recursive: true })
      writeFileSync(file(name), text)
    },
    read: (name) => readFileSync(file(name), 'utf8'),
    commit(message) {
      git(root, 'add', '--all')
      git(root, 'commit', '--quiet', '--allow-empty', '--message', message)
    },
    passTests: () => notePassed(root, { tree: treeOf(root), passed: 1, skipped: 0 }),
  }
}

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the release command in a folder. */
export function runRelease(
  root: string,
  words: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const options = { cwd: root, env: { ...process.env, ...given }, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], options, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), stdout, stderr })
    })
  })
}

function writeProject({ root, write }: Repository): void {
  const text = (content: unknown) => `${JSON.stringify(content, undefined, 2)}\n`
  const packages = Object.entries(manifests).map(([folder, manifest]) => {
    const { name, ...rest } = manifest
    return [folder, { name, version: '0.1.0', license: 'MIT', type: 'module', ...rest }] as const
  })
  for (const [folder, manifest] of packages) write(join(folder, 'package.json'), text(manifest))
  write('package-lock.json', text(lockfileOf(packages)))
  write('clients/python/pyproject.toml', pyproject)
  write('clients/python/src/own/__init__.py', 'ONE = 1\n')
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Added\n\n- Ones.\n')
  write('.gitignore', 'node_modules/\ndist/\nrelease/\n')
  write('build.js', build)
  write('node_modules/zod/package.json', text({ name: 'zod', exports: './index.js' }))
  write('node_modules/zod/index.js', '')
  symlinkSync('../packages/one', join(root, 'node_modules/one'))
}

const pyproject = `[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "own"
version = "0.1.0"
requires-python = ">=3.10"
[tool.hatch.build.targets.wheel]
packages = ["src/own"]
`

/** What is built tells which version it was built for, and where its dependencies were found. */
const build = `import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const found = (name) => import.meta.resolve(name).replace(import.meta.resolve('./'), '')
mkdirSync('packages/two/dist')
const text = ['//', version, found('one'), found('zod')].join(' ')
writeFileSync('packages/two/dist/index.js', text)
`

/** As npm writes it: it leaves out what installing does not need, and names that folders have. */
function lockfileOf(packages: readonly (readonly [string, { name: string }])[]) {
  const needed = packages.map(([folder, manifest]) => {
    const named = folder === `packages/${manifest.name}` ? {} : { name: manifest.name }
    const {
      name,
      type,
      private: _,
      scripts,
      files,
      exports,
      ...rest
    } = manifest as Record<string, unknown>
    return [folder, { ...named, ...rest }] as const
  })
  const links = packages.slice(1).map(([folder, { name }]) => {
    return [`node_modules/${name}`, { resolved: folder, link: true }] as const
  })
  const entries = [...needed, ...links, ...Object.entries(others)]
  const all = Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { name: 'root', version: '0.1.0', lockfileVersion: 3, requires: true, packages: all }
}
