/** What the release asks of npm. */

import { spawnSync } from 'node:child_process'

export interface Answer {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Without the network: everything but publishing. */
export function npmOffline(folder: string, ...words: string[]): string {
  const { ok, stdout, stderr } = npm(folder, ...words, '--offline')
  if (!ok) throw new Error(`npm ${words.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

export function npm(folder: string, ...words: string[]): Answer {
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  const { status, stdout, stderr, error } = spawnSync('npm', words, options)
  if (error !== undefined) throw error
  return { ok: status === 0, stdout, stderr }
}
