/** The URL of a storage request: what was given, below casUrl, or nothing. */

import { type NormalPath, parseNormalPath } from '@latchkey/protocol'
import { LatchkeyError } from '../error/latchkey-error.ts'

export interface StoragePath {
  /** What the scope table judges. */
  readonly path: NormalPath
  /** The path with its query, as it was given. */
  readonly target: string
}

export function readStoragePath(given: string): StoragePath {
  const target = String(given)
  const mark = target.indexOf('?')
  const path = parseNormalPath(mark === -1 ? target : target.slice(0, mark))
  if (path === undefined) throw refused()
  const read = { path, target }
  // Said before a token is asked for.
  storageUrl('http://any', read)
  return read
}

/** threat: a token goes to its own origin and below its own prefix, so the parsed URL must be the written one. */
export function storageUrl(casUrl: string, { target }: StoragePath): string {
  const url = casUrl + target
  if (new URL(url).href !== url || url.includes('#')) throw refused()
  return url
}

function refused(): LatchkeyError {
  return new LatchkeyError(
    'path_refused',
    'The path is not in its normal form: one slash first, no part empty or dots, the rest percent-encoded.',
  )
}
