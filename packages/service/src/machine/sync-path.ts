/** Brings what was written to the disk, so that it is not lost with the power. */

import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file, or a folder with the names in it. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
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
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
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
