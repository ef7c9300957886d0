/** What follows the repository in an address: a revision, and behind it a path. */

import { parseRevision, type Refusal, type Revision } from '@latchkey/protocol'
import { type FilePath, parseFilePath } from '../words/file-path.ts'
import { decodeRest } from './segments.ts'

export interface RevisionAndPath {
  /** Its kind is `impossible` when no ref can be called so. */
  readonly revision: Revision
  /** Undefined for the root folder. */
  readonly path: FilePath | undefined
}

/** For addresses that end with the revision: some clients do not encode its slashes. */
export function readRevision(rest: readonly string[]): Revision | undefined {
  const text = decodeRest(rest)
  return text === undefined ? undefined : parseRevision(text)
}

/**
 * Undefined when there is no revision, or it cannot be decoded. The path is one encoded segment or several plain ones.
 */
export function readRevisionAndPath(
  rest: readonly string[],
): RevisionAndPath | Refusal | undefined {
  const length = plainRefLength(rest)
  const revision = readRevision(rest.slice(0, length))
  if (revision === undefined) return undefined
  if (rest.length === length) return { revision, path: undefined }
  const text = decodeRest(rest.slice(length))
  if (text === undefined) return undefined
  const path = parseFilePath(text)
  return typeof path === 'string' ? { revision, path } : path
}

/** `refs/pr/1` and `refs/convert/parquet` are written without encoding; every other revision is one segment. */
function plainRefLength([first, second, third = '']: readonly string[]): number {
  const isPlainRef =
    first === 'refs' &&
    ((second === 'pr' && /^[1-9]\d{0,9}$/.test(third)) ||
      (second === 'convert' && /^\w{1,64}$/.test(third)))
  return isPlainRef ? 3 : 1
}
