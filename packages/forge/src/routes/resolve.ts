/** `HEAD|GET /{repository}/resolve/{revision}/{path}`: a file, or where its content is. */

import {
  formatTokenPath,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Revision,
  refuse,
} from '@latchkey/protocol'
import { pointerAt } from '../files/describe-files.ts'
import { isFilled, lacksObjects, objectsMissing, openRevision } from '../files/open-revision.ts'
import { type OpenBlob, parseTreePath } from '../git/index.ts'
import type { Exchange, ForgeParts, Handle } from '../http/exchange.ts'
import { type ByteRange, readRange } from '../http/range.ts'
import type { Reply } from '../http/reply.ts'
import type { Pointer } from '../large/pointer.ts'
import type { FilePath } from '../names/file-path.ts'
import { noEntry } from './tree.ts'

interface Asked {
  readonly repo: RepoRef | undefined
  readonly revision: Revision
  readonly path: FilePath
}

export const resolve: Handle<Asked> = async (exchange, { path: given, ...asked }, parts) => {
  const { hub, request, signal } = exchange
  const opened = await openRevision(hub, parts.git, { ...asked, scope: 'read' })
  if (isRefusal(opened)) return opened
  if (lacksObjects(opened)) return objectsMissing(opened)
  const path = parseTreePath(given)
  if (!isFilled(opened) || path === undefined) return noEntry(given)
  const { repository, commit, tree, permitted } = opened
  const entry = (await repository.findEntries(tree, [path])).get(path)
  if (entry?.kind !== 'file') return noEntry(given)
  const [info] = await repository.infoOf([entry.hash])
  const pointer = info && (await pointerAt(repository, entry.hash, info.size))
  if (pointer !== undefined) {
    const { repo } = permitted
    return largeFile({ exchange, parts, repo, revision: asked.revision, commit, pointer })
  }
  const size = info?.size ?? 0
  const range = readRange(request, size)
  if (isRefusal(range)) return range
  const blob = await repository.streamBlob(entry.hash, { range, signal })
  const headers = ['X-Repo-Commit', commit, 'ETag', `"${entry.hash}"`, ...asDownload(path)]
  return blob === undefined ? noEntry(given) : smallFile(blob, range, headers)
}

function smallFile(
  { size, bytes }: OpenBlob,
  range: ByteRange | undefined,
  headers: readonly string[],
): Reply {
  const length = range === undefined ? size : range.end - range.start
  // A HEAD reads nothing.
  const parts = { [Symbol.asyncIterator]: () => bytes() }
  const body = { length, parts }
  if (range === undefined) return { headers, body }
  const part = `bytes ${range.start}-${range.end - 1}/${size}`
  return { status: 206, headers: [...headers, 'Content-Range', part], body }
}

/** What anybody may commit is never shown as a page of this hub. */
function asDownload(path: string): readonly string[] {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  return [
    ...['Content-Type', 'application/octet-stream'],
    ...['Content-Disposition', `attachment; filename*=UTF-8''${name}`],
    ...['Content-Security-Policy', "default-src 'none'; sandbox"],
    ...['Accept-Ranges', 'bytes'],
  ]
}

interface Large {
  readonly exchange: Exchange
  readonly parts: ForgeParts
  readonly repo: RepoRef
  readonly revision: Revision
  readonly commit: string
  readonly pointer: Pointer
}

/** Clients fetch the content from the storage, with a token of their own. */
async function largeFile(large: Large): Promise<Reply | Refusal> {
  const { exchange, parts, repo, revision, commit, pointer } = large
  const { hub, request } = exchange
  const token = await hub.storageToken({ repo, revision, scope: 'read' })
  if (isRefusal(token)) return token
  const hash = await parts.storage.find(token, pointer)
  if (isRefusal(hash)) return hash
  if (hash === undefined) {
    const detail = 'The storage does not show the content of this file at this revision.'
    return refuse('entry_not_found', detail)
  }
  const auth = `${parts.publicUrl}${formatTokenPath(repo, 'read', commit, 'xet')}`
  const plan = `${token.casUrl}/v1/reconstructions/${hash}`
  const etag = `"${pointer.oid}"`
  const size = String(pointer.sizeBytes)
  const headers = [
    ...['X-Repo-Commit', commit, 'ETag', etag, 'X-Linked-Etag', etag, 'X-Linked-Size', size],
    ...['X-Xet-Hash', hash, 'X-Xet-Refresh-Route', auth],
    ...['Link', `<${auth}>; rel="xet-auth", <${plan}>; rel="xet-reconstruction-info"`],
  ]
  const wantsInfo = request.headers.accept?.includes(fileInfo) === true
  if (wantsInfo) {
    const body = JSON.stringify({
      hash,
      refreshUrl: auth,
      reconstructionUrl: plan,
      etag,
      size: pointer.sizeBytes,
    })
    return { headers: [...headers, 'Content-Type', fileInfo], body }
  }
  if (request.method !== 'HEAD') {
    const detail =
      'Large files are downloaded from the storage, which this client does not do. Install hf_xet, or use latchkey download.'
    return refuse('not_implemented', detail)
  }
  const nothing = { length: pointer.sizeBytes, parts: (async function* () {})() }
  return { headers: [...headers, 'Content-Type', 'application/octet-stream'], body: nothing }
}

const fileInfo = 'application/vnd.xet-fileinfo+json'
