/** Directories of a test's own, in which nothing is left behind. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Gone when the test is over. */
export function temporaryFolder(): string {
  const folder = makeFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** For `describe` blocks and hooks: gone when all their tests are over. */
export function sharedFolder(): string {
  const folder = makeFolder()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of a data directory, with the modes a hub wants. */
export function copyOfData(from: string, to: string): string {
  mkdirSync(to, { mode: 0o700 })
  cpSync(from, to, { recursive: true })
  return to
}

/** Every file below a folder by its name, with its bytes. */
export function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return new Map(
    files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))] as const),
  )
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'latchkey-command-'))
}
