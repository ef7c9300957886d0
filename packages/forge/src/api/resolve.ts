import {
  type CommitHash,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Revision,
} from '@latchkey/protocol'
import { type ObjectInfo, parseTreePath, type Repository, type TreePath } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { fileReply, readRange } from '../http/range.ts'
import type { ForgeReply } from '../http/reply.ts'
import { pointerAt } from '../large-files/describe-files.ts'
import {
  isFilled,
  lacksObjects,
  objectsMissing,
  openRevision,
} from '../large-files/open-revision.ts'
import type { FilePath } from '../words/file-path.ts'
import { largeFile } from './large-file.ts'
import { noEntry } from './tree.ts'
import { asDownload } from './user-bytes.ts'

interface FileAddress {
  readonly repo: RepoRef | undefined
  readonly revision: Revision
  readonly path: FilePath
}

export const resolve: ForgeHandler<FileAddress> = async (exchange, address, parts) => {
  const found = await findFile(exchange, address, parts)
  if (isRefusal(found)) return found
  const { repository, info, repo, commit, path } = found
  const pointer = await pointerAt(repository, info.hash, info.size)
  if (pointer === undefined) return gitFile(exchange, found)
  return largeFile({ exchange, parts, repo, commit, path, pointer })
}

/** The file as git has it: of a large file the pointer. */
export const raw: ForgeHandler<FileAddress> = async (exchange, address, parts) => {
  const found = await findFile(exchange, address, parts)
  return isRefusal(found) ? found : gitFile(exchange, found)
}

interface FoundFile {
  readonly repo: RepoRef
  readonly repository: Repository
  readonly commit: CommitHash
  readonly path: TreePath
  readonly info: ObjectInfo
}

/** Symlinks are not followed. */
async function findFile(
  { hub }: Exchange,
  { path: filePath, ...address }: FileAddress,
  { git }: ForgeDeps,
): Promise<FoundFile | Refusal> {
  const opened = await openRevision(hub, git, { ...address, scope: 'read' })
  if (isRefusal(opened)) return opened
  if (lacksObjects(opened)) return objectsMissing(opened)
  const path = parseTreePath(filePath)
  if (!isFilled(opened) || path === undefined) return noEntry(filePath)
  const { repository, commit, tree, permitted } = opened
  const entry = (await repository.findEntries(tree, [path])).get(path)
  if (entry?.kind !== 'file') return noEntry(filePath)
  const [info] = await repository.infoOf([entry.hash])
  return info === undefined
    ? noEntry(filePath)
    : { repo: permitted.repo, repository, commit, path, info }
}

async function gitFile(
  { request, signal }: Exchange,
  { repository, commit, path, info: { hash, size } }: FoundFile,
): Promise<ForgeReply | Refusal> {
  const etag = `"${hash}"`
  const range = readRange(request, { size, etag })
  if (isRefusal(range)) return range
  const headers = ['X-Repo-Commit', commit, 'ETag', etag, ...asDownload(path)]
  // A HEAD reads nothing.
  if (request.method !== 'HEAD' && size <= maxWholeBytes) {
    const blob = await repository.readObject(hash, maxWholeBytes)
    if (blob === undefined) return noEntry(path)
    const parts = range === undefined ? blob.bytes : blob.bytes.subarray(range.start, range.end)
    return fileReply({ size, range, headers, parts })
  }
  const blob = await repository.streamBlob(hash, { range, signal })
  if (blob === undefined) return noEntry(path)
  const parts = { [Symbol.asyncIterator]: () => blob.bytes() }
  return fileReply({ size, range, headers, parts })
}

/** As much as the socket takes at once: a slow client holds no more. */
const maxWholeBytes = 64 * 1024
