import { isLongerThan, pathFlaw, type Refusal, refuse } from '@latchkey/protocol'
import { quoted } from './quoted.ts'
import { specialFileOf } from './special-file.ts'

/** A path that every checkout writes below its folder, and never into `.git`. */
export type FilePath = string & { readonly brand: 'file-path' }

/** The longest name that the file systems of Linux, macOS and Windows take. */
const maxPartBytes = 255

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a path; the only place that makes a `FilePath`. Names that only Windows keeps for itself (`CON`, `a.`) are taken,
 * as git and other hubs take them. A tree that was pushed may hold names that are refused here: git checks less.
 */
export function parseFilePath(input: string | Uint8Array): FilePath | Refusal {
  const path = typeof input === 'string' ? input : decoded(input)
  if (path === undefined) return refuse('bad_request', 'The path is not valid UTF-8.')
  const fault = pathFlaw(path) ?? partFlaw(path)
  if (fault !== undefined) return refuse('bad_request', `The path ${quoted(path)} ${fault}.`)
  return path as FilePath
}

/** The same for a path that a commit writes to. */
export function parseNewPath(input: string | Uint8Array): FilePath | Refusal {
  const path = parseFilePath(input)
  if (typeof path !== 'string' || specialFileOf(path) !== 'gitmodules') return path
  // A push is checked by git's fsck. A commit through the API is not, and it can hold no submodule anyway.
  const why = 'names submodules, and these can only be pushed with git'
  return refuse('bad_request', `The path ${quoted(path)} ${why}.`)
}

/** A folder, with or without the slash that clients write behind it. */
export function parseFolderPath(input: string): FilePath | Refusal {
  return parseFilePath(input.endsWith('/') ? input.slice(0, -1) : input)
}

function partFlaw(path: string): string | undefined {
  const isLong = path.split('/').some((part) => isLongerThan(part, maxPartBytes))
  return isLong ? `has a part that is longer than ${maxPartBytes} bytes` : undefined
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
