/** Files that must survive a loss of power, and secrets of 32 bytes in files of their own. */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseSecretKey, type Secret, type SecretKind } from '@latchkey/protocol'
import { CannotStart } from './errors.ts'

/** A file, or a folder with the names in it. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The same, without a stop of the event loop. */
export async function syncToDisk(path: string, flags: 'r' | 'r+' = 'r'): Promise<void> {
  const handle = await open(path, flags)
  await handle.sync().finally(() => handle.close())
}

/** For its owner's eyes only. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    await writeSynced(draft, content)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncToDisk(dirname(file))
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    // A file of root's could not be read by the service's own user.
    if (process.geteuid?.() === 0) {
      const { uid, gid } = await stat(dirname(path))
      await handle.chown(uid, gid)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export function isKeyFileThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}

/** `advice` ends the line about a file that holds something else. */
export function readKeyFile<Kind extends SecretKind>(
  kind: Kind,
  file: string,
  advice: string,
): Secret<Kind> {
  const mode = statSync(file).mode & 0o777
  if ((mode & 0o077) !== 0) {
    throw new CannotStart(
      `${file} can be read by other users (mode ${mode.toString(8)}). Run "chmod 600 ${file}".`,
    )
  }
  const key = statSync(file).isFile() ? parseSecretKey(kind, readFileSync(file, 'utf8')) : undefined
  if (key !== undefined) return key
  throw new CannotStart(`${file} does not hold 32 bytes in base64. ${advice}`)
}

/** For the owner of the folder. Linked into place only when whole: a crash leaves no half key, and of two makers one wins. */
export function makeKeyFile(file: string): void {
  withNewKey(file, dirname(file), (draft) => {
    try {
      linkSync(draft, file)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  })
}

/** Puts another key in place of the one that is there, for the same owner: there is always a whole one. */
export function replaceKeyFile(file: string): void {
  withNewKey(file, file, (draft) => renameSync(draft, file))
}

/** The draft gets the owner of `owned`. */
function withNewKey(file: string, owned: string, place: (draft: string) => void): void {
  const { uid, gid } = statSync(owned)
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${randomBytes(32).toString('base64')}\n`)
    // A file of root's could not be read by the service's own user.
    if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid)
    fsyncSync(descriptor)
    place(draft)
  } finally {
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
  // A key that encrypts or signs something must not be lost with the power.
  syncPath(dirname(file))
}
