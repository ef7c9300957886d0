/** The tools of website/, which have a lockfile of their own, and the site that they build. */

import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages/packages.ts'

export const website: string = join(root, 'website')

/** The files of the built site. */
export const siteFolder: string = join(website, 'dist')

/** Installs the tools, unless they are as in the lockfile. */
export function installWebsite(): void {
  const [installed, lockfile] = ['node_modules/.package-lock.json', 'package-lock.json'].map(
    (file) => join(website, file),
  )
  if (installed === undefined || lockfile === undefined) return
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return
  runInWebsite('npm', ['ci'])
}

export function runInWebsite(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  const { status } = spawnSync(program, words, {
    ...{ cwd: website, stdio: 'inherit', env: { ...process.env, ...env } },
  })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} has failed in website/`)
}
