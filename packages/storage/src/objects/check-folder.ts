/** Whether content can be kept where it is to lie, asked before anybody sends some. */

import { stat } from 'node:fs/promises'
import { CannotStart } from '@latchkey/service/cannot-start'
import { ifThere } from './file-errors.ts'

/** One that is not there yet is made when it is needed. */
export async function checkFolder(folder: string): Promise<void> {
  const there = await ifThere(stat(folder))
  if (there === undefined || there.isDirectory()) return
  throw new CannotStart(
    `${folder} is not a directory, and content is kept in one of this name. Move what is there away.`,
  )
}
