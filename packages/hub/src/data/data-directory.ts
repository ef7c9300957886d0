/** The directory that holds everything a hub keeps: for its owner's eyes only. */

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CannotStart } from '@latchkey/service/cannot-start'

export function prepareDataDirectory(data: string, { create }: { create: boolean }): void {
  if (create) makeDirectory(data)
  const status = statSync(data, { throwIfNoEntry: false })
  if (status === undefined) {
    throw new CannotStart(
      `there is no data directory ${data}. Name an existing one with --data, or make one with "latchkey serve" or "latchkey apply".`,
    )
  }
  if (!status.isDirectory()) {
    throw new CannotStart(
      `the data directory ${data} is not a directory. Choose another with --data.`,
    )
  }
  if ((status.mode & 0o077) !== 0) {
    throw new CannotStart(
      `the data directory ${data} is open to other users (mode ${(status.mode & 0o777).toString(8)}). It holds keys: run "chmod 700 ${data}".`,
    )
  }
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new CannotStart(
      `the data directory ${data} is not writable for this user. Give it to this user, or choose another with --data.`,
    )
  }
}

function makeDirectory(data: string): void {
  try {
    makeEach(resolve(data))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new CannotStart(
      `the data directory ${data} cannot be made (${reason}). Choose another with --data.`,
    )
  }
}

/** Step by step: asked to make parents itself, Node never returns where nobody can make any. */
function makeEach(path: string): void {
  if (existsSync(path)) return
  makeEach(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
