/** How much room the disk of a folder has for this user. */

import { statfs } from 'node:fs/promises'

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
