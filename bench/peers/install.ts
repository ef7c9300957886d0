/** Installs the servers of others into a folder that is removed afterwards, so that `npm ci` brings none of them. */

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface InstalledPeers {
  file(name: string): URL
  remove(): void
}

/** Or a sentence that says why not. Every package is pinned by its hash. */
export function installPeers(): InstalledPeers | string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-peers-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  cpSync(import.meta.dirname, folder, { recursive: true })
  const { status, stderr } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd: folder,
      encoding: 'utf8',
      timeout: 120_000,
    },
  )
  if (status === 0) {
    return { file: (name) => pathToFileURL(join(folder, name)), remove }
  }
  remove()
  return `npm could not install it (${stderr?.trim().split('\n')[0] ?? 'no npm'}); a connection to npm’s registry is needed`
}
