import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { parseNewPath } from '../words/file-path.ts'
import { isAbsent, isSize, membersOf } from '../words/members.ts'
import type { OfferedFile } from './upload-modes.ts'

export interface Preupload {
  readonly files: readonly OfferedFile[]
  readonly gitIgnore: string | undefined
  /** In place of the text that the revision has. */
  readonly gitAttributes: string | undefined
}

/** Clients send a hundred or two at a time. */
const maxFiles = 1000
/** Other requests wait for so many paths to be checked. */
const filesAtOnce = 100

/** Unknown members are left out: nothing is changed by this request. */
export async function readPreupload(json: unknown): Promise<Preupload | Refusal> {
  const { files, gitIgnore, gitAttributes } = membersOf(json) ?? {}
  if (!Array.isArray(files)) return refuse('bad_request', 'files must be a list.')
  if (files.length > maxFiles) {
    return refuse('bad_request', `files has more than ${maxFiles} members. Send them in parts.`)
  }
  if (!isTextOrAbsent(gitIgnore)) return refuse('bad_request', 'gitIgnore must be a text.')
  if (!isTextOrAbsent(gitAttributes)) return refuse('bad_request', 'gitAttributes must be a text.')
  const read: OfferedFile[] = []
  for (const [at, file] of files.entries()) {
    const offered = readFile(file)
    if (isRefusal(offered)) return { ...offered, path: `files[${at}]` }
    read.push(offered)
    await yieldInLoop(at, filesAtOnce)
  }
  return {
    files: read,
    gitIgnore: gitIgnore ?? undefined,
    gitAttributes: gitAttributes ?? undefined,
  }
}

function readFile(json: unknown): OfferedFile | Refusal {
  const { path: pathText, size, sample } = membersOf(json) ?? {}
  if (typeof pathText !== 'string') return refuse('bad_request', 'path must be a text.')
  if (!isSize(size)) return refuse('bad_request', 'size must be a number of bytes.')
  if (!isTextOrAbsent(sample)) return refuse('bad_request', 'sample must be a text.')
  const path = parseNewPath(pathText)
  return isRefusal(path) ? path : { path, sizeBytes: size, sample: sample ?? '' }
}

function isTextOrAbsent(value: unknown): value is string | undefined | null {
  return isAbsent(value) || typeof value === 'string'
}
