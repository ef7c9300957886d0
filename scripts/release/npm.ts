/** What the release asks of npm. */

import { spawnSync } from 'node:child_process'

export interface Answer {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

type Settings = Readonly<Record<string, string>>

/** npm asks its registry for a newer npm now and then, also where it is offline. */
const quiet: Settings = { npm_config_update_notifier: 'false' }

/** For everything but publishing. What a script of npm's starts is offline too. */
export function npmOffline(folder: string, ...words: string[]): string {
  const { ok, stdout, stderr } = run(folder, words, { ...quiet, npm_config_offline: 'true' })
  if (!ok) throw new Error(`npm ${words.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

export function npm(folder: string, ...words: string[]): Answer {
  return run(folder, words, quiet)
}

function run(folder: string, words: readonly string[], settings: Settings): Answer {
  const env = { ...process.env, ...settings }
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28, env } as const
  const { status, stdout, stderr, error } = spawnSync('npm', words, options)
  if (error !== undefined) throw error
  return { ok: status === 0, stdout, stderr }
}
