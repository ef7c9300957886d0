/** The git of this machine as a person uses it. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Said {
  readonly code: number
  /** A person reads it in the terminal. */
  readonly text: string
}

export interface GitClient {
  readonly env: Readonly<Record<string, string>>
  /** In a folder below its own; gives what git printed, and throws if it failed. */
  git(folder: string, ...words: readonly string[]): Promise<string>
  tryGit(folder: string, ...words: readonly string[]): Promise<Said>
}

/** `home` is called for each command, because a test may get its folder late. */
export function gitClient(home: () => string): GitClient {
  const envIn = (folder: string) => ({
    ...{ PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
  })
  const tryGit: GitClient['tryGit'] = (folder, ...words) => {
    const options = { cwd: join(home(), folder), env: envIn(home()), maxBuffer: 2 ** 26 }
    return run('git', words, options).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
    )
  }
  return {
    get env() {
      return envIn(home())
    },
    tryGit,
    async git(folder, ...words) {
      const { code, text } = await tryGit(folder, ...words)
      if (code !== 0) throw new Error(`git ${words.join(' ')}: ${text}`)
      return text.trim()
    },
  }
}
