/** Reads the body of a commit, line by line, and writes its files to git as they come. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import {
  type BlobBatch,
  type Edit,
  parseTreePath,
  type Repository,
  type TreePath,
} from '../git/index.ts'
import type { FilePath } from '../words/file-path.ts'
import { formatPointer, type Pointer, parsePointer } from '../words/pointer.ts'
import { quoted } from '../words/quoted.ts'
import type { CommitChange, CommitHeader } from './commit-line.ts'
import type { Copies } from './find-copies.ts'
import { readLines } from './lines.ts'
import { readAnyCommitLine } from './long-line.ts'

/** Objects of a commit that no tree has yet. */
export interface StagedCommit {
  readonly header: CommitHeader
  readonly edits: readonly Edit[]
  readonly large: readonly LargeFile[]
  /** The text of the `.gitattributes` that comes with it. */
  readonly attributes: string | undefined
}

export interface LargeFile extends Pointer {
  readonly path: FilePath
}

export interface Staging {
  readonly signal: AbortSignal
  readonly copies: Pick<Copies, 'find'>
}

export async function stage(
  repository: Repository,
  body: AsyncIterable<Uint8Array>,
  { signal, copies }: Staging,
): Promise<StagedCommit | Refusal> {
  let header: CommitHeader | undefined
  let attributes: string | undefined
  const edits: Edit[] = []
  const large: LargeFile[] = []
  const blobs = repository.writeBlobs({ signal })
  for await (const line of readLines(body)) {
    const read = isRefusal(line) ? line : await readAnyCommitLine(line)
    if (isRefusal(read)) return read
    if (read.kind === 'header') {
      if (header !== undefined) return wrong('The body has two headers.')
      header = read
      continue
    }
    if (header === undefined) return wrong('The first line must be the header.')
    if (read.kind === 'file' && read.path === '.gitattributes') {
      attributes = Buffer.from(read.content).toString('utf8')
    }
    const change = read.kind === 'lfsFile' ? await largeFileOf(read, copies) : read
    if (isRefusal(change)) return change
    if ('oid' in change) large.push(change)
    const edit = await editOf(change, blobs)
    if (isRefusal(edit)) return edit
    edits.push(edit)
  }
  if (header === undefined) return wrong('The body has no header.')
  await blobs.flush()
  return { header, edits, large, attributes }
}

async function largeFileOf(
  { path, oid, sizeBytes }: Extract<CommitChange, { readonly kind: 'lfsFile' }>,
  copies: Staging['copies'],
): Promise<LargeFile | Refusal> {
  if (sizeBytes !== undefined) return { path, oid, sizeBytes }
  const found = await copies.find(oid)
  if (isRefusal(found)) return found
  if (found !== undefined) return { path, ...found }
  return wrong(`No ref that you may read has the large file that ${quoted(path)} is to copy.`)
}

type Change = Exclude<CommitChange, { readonly kind: 'lfsFile' }> | LargeFile

async function editOf(change: Change, blobs: BlobBatch): Promise<Edit | Refusal> {
  const path = treePath(change.path)
  const add = async (content: Uint8Array): Promise<Edit> => {
    const hash = await blobs.add(content)
    return { kind: 'add', path, hash, mode: '100644' }
  }
  if ('oid' in change) return add(Buffer.from(formatPointer(change)))
  switch (change.kind) {
    case 'file':
      return parsePointer(change.content) === undefined ? add(change.content) : aPointer(path)
    case 'deletedFile':
      return { kind: 'delete', path }
    case 'deletedFolder':
      return { kind: 'delete-folder', path }
    case 'copyFile':
      return change.srcRevision === undefined
        ? { kind: 'copy', from: treePath(change.srcPath), path }
        : refuse('not_implemented', 'Latchkey does not support copying from another revision.')
  }
}

/** It would claim content that nobody has looked up. */
function aPointer(path: TreePath): Refusal {
  return wrong(`The file ${quoted(path)} is a pointer of git-lfs. Commit it as a large file.`)
}

/** Every path of a commit was read by stricter rules. */
function treePath(path: FilePath): TreePath {
  const parsed = parseTreePath(path)
  if (parsed === undefined) throw new Error('a path of a commit is no path of git')
  return parsed
}

function wrong(detail: string): Refusal {
  return refuse('bad_request', detail)
}
