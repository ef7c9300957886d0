/** Opens a file that lies in one of several places. */

import { type FileHandle, open } from 'node:fs/promises'
import { hasCode } from './file-errors.ts'

/** The first that is there. */
export async function openFirst([file = '', ...others]: readonly string[]): Promise<FileHandle> {
  try {
    return await open(file, 'r')
  } catch (error) {
    if (others.length === 0 || !hasCode(error, 'ENOENT')) throw error
    return openFirst(others)
  }
}
