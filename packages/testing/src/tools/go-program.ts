/** Go as tests drive it: without a network, with a home of its own and the cache of whoever runs them. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { rounds } from '../chance.ts'
import { findProgram, searchPath, toolsFolder } from './find-program.ts'

export const goModule = resolve(import.meta.dirname, '../../../../clients/go')

/** A storage on chi: it needs one module that is not ours. */
export const goExample = resolve(goModule, '../../examples/chi-storage')

/** Where modules of others are kept. */
export const goModulePath = join(toolsFolder, 'go/path')

/** Whether the modules are there that the example needs, in these releases. */
export function hasModulesOfExample(): boolean {
  const text = readFileSync(join(goExample, 'go.mod'), 'utf8')
  const modules = Array.from(text.matchAll(/^\t(\S+\.\S+) (v\S+)/gm), ([, ...parts]) =>
    parts.join('@'),
  )
  return modules.every((name) => existsSync(join(goModulePath, 'pkg/mod', name)))
}

const cacheOfUser = askForCache()

/** One that is new enough for the module; it does not fetch another one by itself. */
export function findGo(): string | undefined {
  const go = findProgram('go')
  if (go === undefined) return undefined
  const { status } = spawnSync(go, ['list', '-m'], { cwd: goModule, env: goEnvironment() })
  return status === 0 ? go : undefined
}

/**
 * Compiled code is kept where Go keeps it for this user, because a checkout that is new would compile the standard library
 * for a minute. Until a soak it is compiled in a hurry: without inlining and without what only debuggers read.
 */
export function goEnvironment(): Readonly<Record<string, string>> {
  const folder = join(toolsFolder, 'go')
  return {
    PATH: searchPath(),
    HOME: folder,
    GOCACHE: cacheOfUser ?? join(folder, 'cache'),
    GOPATH: goModulePath,
    GOENV: 'off',
    GOFLAGS: rounds(1, 0) === 1 ? "'-gcflags=all=-l -dwarf=false' '-ldflags=-s -w'" : '',
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  }
}

/** The compiler lives for a second: it need not collect its garbage. */
export const goCompiler: Readonly<Record<string, string>> = { GOGC: '800' }

/** Go has none for a user without a home. */
function askForCache(): string | undefined {
  const env = { ...process.env, PATH: searchPath(), GOTOOLCHAIN: 'local' }
  const { stdout } = spawnSync('go', ['env', 'GOCACHE'], { env, encoding: 'utf8' })
  const folder = (stdout ?? '').trim()
  return isAbsolute(folder) ? folder : undefined
}

/** The race detector needs a compiler of C. */
export function hasRaceDetector(go: string): boolean {
  const env = { ...goEnvironment(), CGO_ENABLED: '1' }
  const { stdout } = spawnSync(go, ['env', 'CC'], { env, encoding: 'utf8' })
  return findProgram((stdout ?? '').trim()) !== undefined
}
