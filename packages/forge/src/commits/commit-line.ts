import {
  type CommitHash,
  isRefusal,
  parseCommitHash,
  parseRevision,
  type Refusal,
  type Revision,
  refuse,
} from '@latchkey/protocol'
import { largestRegularBytes } from '../large-files/upload-modes.ts'
import { decodeBase64 } from '../words/base64.ts'
import { type FilePath, parseFilePath, parseFolderPath, parseNewPath } from '../words/file-path.ts'
import { isAbsent, isSize, type Members, membersOf, refuseUnknown } from '../words/members.ts'
import { type LfsOid, parseLfsOid } from '../words/pointer.ts'
import { quoted } from '../words/quoted.ts'
import { parseFlatJson } from './flat-json.ts'

export interface CommitHeader {
  readonly kind: 'header'
  readonly summary: string
  readonly description: string
  readonly parentCommit: CommitHash | undefined
}

export type CommitChange =
  | { readonly kind: 'file'; readonly path: FilePath; readonly content: Uint8Array }
  /** Without a size where the client copies a file that the repository has. */
  | LfsFile
  | { readonly kind: 'deletedFile' | 'deletedFolder'; readonly path: FilePath }
  | CopyFile

interface LfsFile {
  readonly kind: 'lfsFile'
  readonly path: FilePath
  readonly oid: LfsOid
  readonly sizeBytes: number | undefined
}

interface CopyFile {
  readonly kind: 'copyFile'
  readonly path: FilePath
  readonly srcPath: FilePath
  /** Undefined for the revision that is committed to. */
  readonly srcRevision: Revision | undefined
}

export type CommitLine = CommitHeader | CommitChange

/** Far more than people write. Git and the directory keep them for ever. */
const maxSummaryLength = 1000
const maxDescriptionLength = 65_536

interface Row {
  readonly members: readonly string[]
  readonly read: (value: Members) => CommitLine | Refusal
}

// biome-ignore format: a table is read by its columns
const rows: Readonly<Record<string, Row>> = {
  header:        { members: ['summary', 'description', 'parentCommit'], read: readHeader },
  file:          { members: ['path', 'content', 'encoding'],            read: readFile },
  lfsFile:       { members: ['path', 'algo', 'oid', 'size'],            read: readLfsFile },
  deletedFile:   { members: ['path'],                                   read: readDeletedFile },
  deletedFolder: { members: ['path'],                                   read: readDeletedFolder },
  copyFile:      { members: ['path', 'srcPath', 'srcRevision'],         read: readCopy },
}

export function readCommitLine(line: Uint8Array): CommitLine | Refusal {
  const members = membersOf(parseFlatJson(line))
  if (members === undefined)
    return wrong('A line is no JSON object with the members key and value.')
  const unknown = refuseUnknown('A line', members, ['key', 'value'])
  if (unknown !== undefined) return unknown
  const { key } = members
  const value = membersOf(members['value'])
  const row = typeof key === 'string' && Object.hasOwn(rows, key) ? rows[key] : undefined
  if (row === undefined) return wrong(`${quoted(String(key))} is no key of a commit's line.`)
  if (value === undefined) return wrong(`The value of ${key} must be an object.`)
  return refuseUnknown(String(key), value, row.members) ?? row.read(value)
}

function readHeader({ summary, description, parentCommit }: Members): CommitHeader | Refusal {
  if (!isMessage(summary, maxSummaryLength) || summary.trim() === '') {
    return wrong(`summary must be a text of 1 to ${maxSummaryLength} characters.`)
  }
  const more = isAbsent(description) ? '' : description
  if (!isMessage(more, maxDescriptionLength)) {
    return wrong(`description must be a text of at most ${maxDescriptionLength} characters.`)
  }
  const parent = typeof parentCommit === 'string' ? parseCommitHash(parentCommit) : undefined
  if (!isAbsent(parentCommit) && parent === undefined) {
    return wrong('parentCommit must be the full hash of a commit.')
  }
  return { kind: 'header', summary, description: more, parentCommit: parent }
}

/** Git ends a message at a NUL. */
function isMessage(value: unknown, longest: number): value is string {
  return (
    typeof value === 'string' &&
    value.length <= longest &&
    value.isWellFormed() &&
    !value.includes('\0')
  )
}

function readFile({ path: pathText, content: text, encoding }: Members): CommitLine | Refusal {
  const path = readPath(pathText, parseNewPath)
  if (isRefusal(path)) return path
  if (typeof text !== 'string') return wrong('content must be a text.')
  const content = contentOf(text, isAbsent(encoding) ? 'utf-8' : encoding)
  if (isRefusal(content)) return content
  if (content.length > largestRegularBytes) {
    const why = `is larger than ${largestRegularBytes} bytes. Upload it as a large file`
    return refuse('body_too_large', `The file ${quoted(path)} ${why}.`)
  }
  return { kind: 'file', path, content }
}

function contentOf(text: string, encoding: unknown): Uint8Array | Refusal {
  if (encoding === 'base64') return decodeBase64(text) ?? wrong('content must be padded base64.')
  if (encoding !== 'utf-8') return wrong('encoding must be "base64" or "utf-8".')
  return text.isWellFormed() ? Buffer.from(text) : wrong('content must be valid Unicode.')
}

function readLfsFile({ path: pathText, algo, oid, size }: Members): LfsFile | Refusal {
  const path = readPath(pathText, parseNewPath)
  if (isRefusal(path)) return path
  const hash = typeof oid === 'string' ? parseLfsOid(oid) : undefined
  if (algo !== 'sha256') return wrong('algo must be "sha256".')
  if (hash === undefined) return wrong('oid must be 64 lower-case hex digits.')
  if (!isAbsent(size) && !isSize(size)) return wrong('size must be a number of bytes.')
  return { kind: 'lfsFile', path, oid: hash, sizeBytes: size ?? undefined }
}

function readDeletedFile({ path: pathText }: Members): CommitLine | Refusal {
  const path = readPath(pathText, parseFilePath)
  return isRefusal(path) ? path : { kind: 'deletedFile', path }
}

function readDeletedFolder({ path: pathText }: Members): CommitLine | Refusal {
  const path = readPath(pathText, parseFolderPath)
  return isRefusal(path) ? path : { kind: 'deletedFolder', path }
}

function readCopy({ path: pathText, srcPath: from, srcRevision }: Members): CopyFile | Refusal {
  const path = readPath(pathText, parseNewPath)
  if (isRefusal(path)) return path
  const srcPath = readPath(from, parseFilePath)
  if (isRefusal(srcPath)) return srcPath
  if (isAbsent(srcRevision)) return { kind: 'copyFile', path, srcPath, srcRevision: undefined }
  if (typeof srcRevision !== 'string') return wrong('srcRevision must be a text.')
  return { kind: 'copyFile', path, srcPath, srcRevision: parseRevision(srcRevision) }
}

function readPath(
  pathText: unknown,
  parse: (text: string) => FilePath | Refusal,
): FilePath | Refusal {
  return typeof pathText === 'string' ? parse(pathText) : wrong('path must be a text.')
}

function wrong(detail: string): Refusal {
  return refuse('bad_request', detail)
}
