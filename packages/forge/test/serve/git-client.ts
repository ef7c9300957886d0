/** The git of this machine as a person uses it, against a hub of a test. */

import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import type { ForgeWorld, Who } from './forge-world.ts'

export interface Said {
  readonly code: number
  /** A person reads it in the terminal. */
  readonly text: string
}

export interface GitClient {
  readonly folder: string
  /** Throws where git fails. */
  git(...words: readonly string[]): Promise<string>
  /** Says how git ended. */
  tryGit(...words: readonly string[]): Promise<Said>
  write(path: string, content: string | Buffer): void
  /** Writes the files and commits them; gives the hash. */
  commit(files: Readonly<Record<string, string | Buffer>>, message?: string): Promise<string>
}

export function addressOf({ hub, tokenOf }: ForgeWorld, name: string, as: Who | string): string {
  const secret = as.startsWith('lk') || as.includes('_') ? as : tokenOf(as as Who)
  return `${hub.url.replace('//', `//git:${secret}@`)}/acme/${name}.git`
}

/** A new repository of the person's own. */
export async function gitIn(folder: string = temporaryFolder()): Promise<GitClient> {
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: folder, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
  }
  const tryGit: GitClient['tryGit'] = (...words) =>
    promisify(execFile)('git', words, { cwd: folder, env, maxBuffer: 2 ** 26 }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
    )
  const git: GitClient['git'] = async (...words) => {
    const { code, text } = await tryGit(...words)
    if (code !== 0) throw new Error(`git ${words.join(' ')}: ${text}`)
    return text.trim()
  }
  const write: GitClient['write'] = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return {
    ...{ folder, git, tryGit, write },
    async commit(files, message = `changes ${Object.keys(files)}`) {
      for (const [path, content] of Object.entries(files)) write(path, content)
      await git('add', '--all', '--force')
      await git('commit', '--quiet', '--allow-empty', '--message', message)
      return git('rev-parse', 'HEAD')
    },
  }
}

export async function clone(world: ForgeWorld, name: string, as: Who): Promise<GitClient> {
  const client = await gitIn()
  await client.git('clone', '--quiet', addressOf(world, name, as), '.')
  return client
}
