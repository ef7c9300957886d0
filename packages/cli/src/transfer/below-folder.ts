/** A place below a folder, for a path that a manifest names: never outside of the folder, never through a link. */

import { accessSync, constants, existsSync, lstatSync, mkdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { quoteGiven } from '@latchkey/service/text'
import { cannotWrite } from '../output/new-file.ts'
import { refused } from '../output/stop.ts'
import type { OutputFile } from './output-file.ts'

/** The path has been read from a manifest: relative, and without `.` or `..`. */
export function checkBelow(folder: string, path: string): OutputFile {
  const file = join(folder, path)
  let above = folder
  for (const part of path.split('/').slice(0, -1)) {
    above = join(above, part)
    const there = statusOf(above)
    // Nothing is below a folder that is not there.
    if (there === undefined) return { file, mode: 0o600 }
    refuseOther(above, there, 'folder')
  }
  const there = statusOf(file)
  refuseOther(file, there, 'file')
  return { file, mode: there === undefined ? 0o600 : there.mode & 0o777 }
}

/** Looked at once more, right before the file is written. */
export function makeBelow(folder: string, path: string): OutputFile {
  const to = checkBelow(folder, path)
  try {
    makeEach(dirname(to.file))
    accessSync(dirname(to.file), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotWrite(to.file, error)
  }
  return checkBelow(folder, path)
}

/** Step by step: asked to make parents itself, Node never returns where nobody can make any. */
function makeEach(path: string): void {
  if (existsSync(path)) return
  makeEach(dirname(path))
  mkdirSync(path)
}

function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

function refuseOther(path: string, there: Stats | undefined, kind: 'file' | 'folder'): void {
  if (there === undefined) return
  if (there.isSymbolicLink()) {
    throw refused(
      `${quoteGiven(path)} is a symbolic link, and latchkey does not write through links; remove it, or name another folder with -o`,
    )
  }
  if (kind === 'file' ? there.isFile() : there.isDirectory()) return
  throw refused(
    `${quoteGiven(path)} is not a ${kind}, as the manifest has it; move it away, or name another folder with -o`,
  )
}
