/** Writes a backup into a folder of its own. */

import { existsSync, rmSync } from 'node:fs'
import { empty, isFree, makeFolder } from '@latchkey/service/backup'
import { CannotStart } from '@latchkey/service/machine/errors'
import { quoteGiven } from '@latchkey/service/text'
import { cannotWrite } from '../output/new-file.ts'
import { refused, Stop } from '../output/stop.ts'

/** Makes the folder; what an attempt that fails has written is removed. */
export async function intoNewFolder<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isFree(folder)) {
    throw refused(
      `${quoteGiven(folder)} exists and is not empty, and a backup overwrites no files. Name another folder; you can delete a backup without backup.json, which was interrupted.`,
    )
  }
  const isNew = !existsSync(folder)
  try {
    makeFolder(folder)
    return await work()
  } catch (error) {
    if (existsSync(folder)) empty(folder)
    if (isNew) rmSync(folder, { recursive: true, force: true })
    const isTold = error instanceof Stop || error instanceof CannotStart
    throw isTold ? error : cannotWrite(folder, error)
  }
}
