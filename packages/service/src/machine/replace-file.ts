/** Replaces a small file as a whole: after a crash there is the old content or the new one, and it is on the disk. */

import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

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
