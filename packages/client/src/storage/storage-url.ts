/** The URL of a storage request: what was given, below casUrl, or nothing. */

import { type NormalPath, parseNormalPath } from '@latchkey/protocol'
import { LatchkeyError } from '../error/latchkey-error.ts'

export interface StoragePath {
  /** What the scope table judges. */
  readonly path: NormalPath
  /** The path with its query, as it was given. */
  readonly target: string
}

/** Printable ASCII that a URL keeps as it is: no `#`, quotes or angle brackets. */
const plainQuery = /^[!$-&(-;=?-~]*$/

export function readStoragePath(given: string): StoragePath {
  const target = String(given)
  const mark = target.indexOf('?')
  const path = parseNormalPath(mark === -1 ? target : target.slice(0, mark))
  if (path === undefined) {
    throw refused(
      'a path begins with one slash and is written in its normal form: /v1/chunks/default/abc',
    )
  }
  if (mark !== -1 && !plainQuery.test(target.slice(mark + 1))) {
    throw refused('what stands after the question mark must be percent-encoded')
  }
  return { path, target }
}

/** threat: a token goes to its own origin and below its own prefix, so the parsed URL must be the written one. */
export function storageUrl(casUrl: string, { target }: StoragePath): string {
  const url = casUrl + target
  if (new URL(url).href !== url) throw refused('it does not stay what it is below casUrl')
  return url
}

function refused(rule: string): LatchkeyError {
  return new LatchkeyError('path_refused', `The path is not allowed: ${rule}.`)
}
