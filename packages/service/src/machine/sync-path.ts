/** Brings what was written to the disk, so that it is not lost with the power. */

import { closeSync, fsyncSync, openSync } from 'node:fs'

/** A file, or a folder with the names in it. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
