import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { collect } from './collect.ts'
import { gitEnvironment } from './environment.ts'
import { GitUnavailable } from './git-errors.ts'
import { startGit } from './start-git.ts'

export interface FoundGit {
  readonly program: string
  readonly version: string
}

/** It has every command and setting that is used here. */
const oldest = { major: 2, minor: 38 }
const deadlineMs = 20_000

export async function findGit(programPath?: string): Promise<FoundGit> {
  const program = programPath ?? inPath()
  if (program === undefined) {
    throw new GitUnavailable(`there is no git in PATH. Install git ${minVersion} or newer.`)
  }
  const output = await versionOf(program)
  const [, version, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(output) ?? []
  if (version === undefined) {
    throw new GitUnavailable(
      `${program} does not say which version it is. Install git ${minVersion} or newer.`,
    )
  }
  const newer = Number(major) - oldest.major || Number(minor) - oldest.minor
  if (newer < 0) {
    throw new GitUnavailable(`${program} is git ${version}. Install git ${minVersion} or newer.`)
  }
  return { program, version }
}

const minVersion = `${oldest.major}.${oldest.minor}`

function inPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, 'git')).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function versionOf(program: string): Promise<string> {
  const git = startGit({
    ...{ program, args: ['--version'], cwd: '/', env: gitEnvironment('/dev/null') },
    ...{ deadlineMs, maxBytes: 4096 },
  })
  git.stdin.end()
  try {
    return (await collect(git)).toString('latin1')
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new GitUnavailable(`${program} cannot be used: ${reason}.`, { cause: error })
  }
}
