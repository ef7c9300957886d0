/** Go as tests drive it: without a network, and with a home and a cache of its own. */

import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { findProgram, searchPath, toolsFolder } from './find-program.ts'

export const goModule = resolve(import.meta.dirname, '../../../../clients/go')

/** One that is new enough for the module; it does not fetch another one by itself. */
export function findGo(): string | undefined {
  const go = findProgram('go')
  if (go === undefined) return undefined
  const { status } = spawnSync(go, ['list', '-m'], { cwd: goModule, env: goEnvironment() })
  return status === 0 ? go : undefined
}

/** Beside the tools of this checkout, because the standard library takes a minute to compile. */
export function goEnvironment(): Readonly<Record<string, string>> {
  const folder = join(toolsFolder, 'go')
  return {
    PATH: searchPath(),
    HOME: folder,
    GOCACHE: join(folder, 'cache'),
    GOPATH: join(folder, 'path'),
    GOENV: 'off',
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  }
}

/** The race detector needs a compiler of C. */
export function hasRaceDetector(go: string): boolean {
  const env = { ...goEnvironment(), CGO_ENABLED: '1' }
  const { stdout } = spawnSync(go, ['env', 'CC'], { env, encoding: 'utf8' })
  return findProgram((stdout ?? '').trim()) !== undefined
}
