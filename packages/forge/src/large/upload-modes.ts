/** Which files of an upload git holds, which the storage holds, and which are left out. */

import type { Refusal } from '@latchkey/protocol'
import { decodeBase64 } from '../encoding/base64.ts'
import type { FilePath } from '../names/file-path.ts'
import { specialFileOf } from '../names/special-file.ts'
import { type Attributes, filterOf, parseAttributes } from '../patterns/attributes.ts'
import type { Budget } from '../patterns/glob.ts'
import { isIgnored, parseIgnore } from '../patterns/ignore.ts'
import { pathByPath } from '../patterns/path-by-path.ts'
import { refuseLongPatterns } from '../patterns/pattern-lines.ts'

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

export interface Rules {
  /** The text of `.gitattributes` in the revision. */
  readonly gitattributes: string
  /** The text of a `.gitignore` that is uploaded too. */
  readonly gitIgnore?: string | undefined
}

/** The largest file that git holds, as on other hubs: every clone brings all of them. */
export const largestRegularBytes = 10 * 1024 * 1024

export async function chooseUploadModes(
  files: readonly OfferedFile[],
  { gitattributes, gitIgnore = '' }: Rules,
): Promise<readonly UploadMode[] | Refusal> {
  const tooLong =
    refuseLongPatterns('.gitattributes', gitattributes) ??
    refuseLongPatterns('.gitignore', gitIgnore)
  if (tooLong !== undefined) return tooLong
  const attributes = await parseAttributes(gitattributes)
  const ignore = await parseIgnore(gitIgnore)
  return pathByPath(
    files,
    (file, budget): UploadMode => ({
      path: file.path,
      uploadMode: isLarge(file, attributes, budget) ? 'lfs' : 'regular',
      shouldIgnore: isIgnored(ignore, file.path, budget),
    }),
  )
}

/** Size decides first. Then `.gitattributes` is obeyed, and what it does not name goes by its content. */
function isLarge(
  { path, sizeBytes, sample }: OfferedFile,
  attributes: Attributes,
  budget: Budget,
): boolean {
  if (sizeBytes === 0) return false
  if (sizeBytes > largestRegularBytes) return true
  // Git reads these out of its own objects.
  if (specialFileOf(path) !== undefined) return false
  const filter = filterOf(attributes, path, budget)
  return filter === undefined ? isBinary(sample) : filter === 'lfs'
}

/** Controls that no text holds. A sample that cannot be read says nothing. */
function isBinary(sample: string): boolean {
  const bytes = decodeBase64(sample.slice(0, longestSample)) ?? []
  return bytes.some((byte) => byte < 0x20 && !textControls.has(byte))
}

const longestSample = 4096

/** Backspace, tab, line feed, vertical tab, form feed, carriage return, escape. */
const textControls: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 27])
