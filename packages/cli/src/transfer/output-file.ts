/** The file that a download goes to: whether it can be written is found out before anything is asked for. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { cannotWrite } from '../output/new-file.ts'

export interface OutputFile {
  readonly file: string
  /** The file that is replaced keeps its own; a new one is for its owner. */
  readonly mode: number
}

/** Undefined for what is no file, such as a device or a pipe with a name: it is written to from its beginning to its end. */
export function outputFile(path: string): OutputFile | undefined {
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    if (path === '' || path.endsWith('/')) throw new Error('it names no file')
    if (there?.isFile() === false) return undefined
    const file = there === undefined ? path : realpathSync(path)
    accessSync(dirname(file), constants.W_OK | constants.X_OK)
    return { file, mode: there === undefined ? 0o600 : there.mode & 0o777 }
  } catch (error) {
    throw cannotWrite(path, error)
  }
}
