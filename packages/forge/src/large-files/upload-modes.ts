/** Which files of an upload git holds, which the storage holds, and which are left out. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'
import { unspecified } from '../git/index.ts'
import { decodeBase64 } from '../words/base64.ts'
import type { FilePath } from '../words/file-path.ts'
import { specialFileOf } from '../words/special-file.ts'
import type { PathRules } from './path-rules.ts'

export interface OfferedFile {
  readonly path: FilePath
  readonly sizeBytes: number
  /** The first bytes, in base64. */
  readonly sample: string
}

export interface UploadMode {
  readonly path: FilePath
  readonly uploadMode: 'lfs' | 'regular'
  readonly shouldIgnore: boolean
}

export interface UploadRules {
  readonly rules: PathRules
  /** The text of `.gitattributes` in the revision. */
  readonly gitattributes: string
  /** The text of a `.gitignore` that is uploaded too. */
  readonly gitIgnore?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The largest file that git holds, as on other hubs: every clone brings all of them. */
export const largestRegularBytes = 10 * 1024 * 1024

export async function chooseUploadModes(
  files: readonly OfferedFile[],
  { rules, gitattributes, gitIgnore = '', signal }: UploadRules,
): Promise<readonly UploadMode[] | Refusal> {
  const paths = files.map(({ path }) => path)
  const filters = await rules.filtersOf({ text: gitattributes, paths, signal })
  if (isRefusal(filters)) return filters
  const ignored = await rules.ignoredOf({ text: gitIgnore, paths, signal })
  if (isRefusal(ignored)) return ignored
  const modes: UploadMode[] = []
  const pause = slicePauses()
  for (const [at, file] of files.entries()) {
    const uploadMode = isLarge(file, filters[at]) ? 'lfs' : 'regular'
    modes.push({ path: file.path, uploadMode, shouldIgnore: ignored[at] === true })
    await pause()
  }
  return modes
}

/** Size decides first. Then `.gitattributes` is obeyed, and what it does not name goes by its content. */
function isLarge({ path, sizeBytes, sample }: OfferedFile, filter = unspecified): boolean {
  if (sizeBytes === 0) return false
  if (sizeBytes > largestRegularBytes) return true
  // Git reads these out of its own objects.
  if (specialFileOf(path) !== undefined) return false
  return filter === unspecified ? isBinary(sample) : filter === 'lfs'
}

/** Controls that no text holds. A sample that cannot be read says nothing. */
function isBinary(sample: string): boolean {
  const bytes = decodeBase64(sample.slice(0, maxSample)) ?? []
  return bytes.some((byte) => byte < 0x20 && !textControls.has(byte))
}

const maxSample = 4096

/** Backspace, tab, line feed, vertical tab, form feed, carriage return, escape. */
const textControls: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 27])
