/** A file that is replaced as a whole or not at all: written beside it, and renamed once it is complete. */

import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FileDraft {
  readonly descriptor: number
  /** What was written is on the disk, and then takes the name that it was meant for. */
  keep(): void
}

/** A draft that was not kept goes when the process ends, however it does, unless it is killed. */
export function createDraft(file: string, mode: number): FileDraft {
  const path = join(dirname(file), `.latchkey-${randomBytes(8).toString('hex')}`)
  const descriptor = openSync(path, 'wx', mode)
  const remove = () => rmSync(path, { force: true })
  process.once('exit', remove)
  return {
    descriptor,
    keep() {
      fsyncSync(descriptor)
      closeSync(descriptor)
      renameSync(path, file)
      process.off('exit', remove)
    },
  }
}
