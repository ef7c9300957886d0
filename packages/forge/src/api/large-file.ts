/** A large file: what a client needs to fetch it from the storage, or its bytes for a client that cannot. */

import {
  type CommitHash,
  formatTokenPath,
  isRefusal,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import type { TreePath } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { fileReply, readRange } from '../http/range.ts'
import type { ForgeReply } from '../http/reply.ts'
import type { AskStorage, FileHash, StorageAccess } from '../large-files/ask-storage.ts'
import { openDownload } from '../large-files/proof.ts'
import type { LfsOid, Pointer } from '../words/pointer.ts'
import { asDownload } from './user-bytes.ts'

interface Large {
  readonly exchange: Exchange
  readonly parts: ForgeDeps
  readonly repo: RepoRef
  readonly commit: CommitHash
  readonly path: TreePath
  readonly pointer: Pointer
}

const fileInfo = 'application/vnd.xet-fileinfo+json'

export async function largeFile(large: Large): Promise<ForgeReply | Refusal> {
  const { exchange, parts, repo, commit, path, pointer } = large
  // By the commit: the client may go on when the branch has moved, and its own token is for the same place.
  const revision = { kind: 'commit', hash: commit } as const
  const token = await exchange.hub.storageToken({ repo, revision, scope: 'read' })
  if (isRefusal(token)) return token
  const hash = await parts.storage.find(token, pointer)
  if (isRefusal(hash)) return hash
  if (hash === undefined) return notShown
  const auth = `${parts.publicUrl}${formatTokenPath(repo, 'read', commit, 'xet')}`
  const plan = `${token.casUrl}/v1/reconstructions/${hash}`
  const etag = `"${pointer.oid}"`
  const headers = [
    ...['X-Repo-Commit', commit, 'ETag', etag, 'X-Linked-Etag', etag],
    ...[
      'X-Linked-Size',
      String(pointer.sizeBytes),
      'X-Xet-Hash',
      hash,
      'X-Xet-Refresh-Route',
      auth,
    ],
    ...['Link', `<${auth}>; rel="xet-auth", <${plan}>; rel="xet-reconstruction-info"`],
  ]
  if (exchange.request.headers.accept?.includes(fileInfo) === true) {
    const info = { hash, refreshUrl: auth, reconstructionUrl: plan, etag, size: pointer.sizeBytes }
    return { headers: [...headers, 'Content-Type', fileInfo], body: JSON.stringify(info) }
  }
  return storedFile(exchange, parts.storage, {
    ...{ token, hash, pointer, headers: [...headers, ...asDownload(path)] },
  })
}

export interface StoredFile {
  readonly token: StorageAccess
  readonly hash: FileHash
  readonly pointer: Pointer
  readonly headers: readonly string[]
}

/** The storage sends the bytes, by a token of the caller; the forge hands them on. */
export async function storedFile(
  { request, signal }: Pick<Exchange, 'request' | 'signal'>,
  storage: AskStorage,
  { token, hash, pointer: { oid, sizeBytes: size }, headers }: StoredFile,
): Promise<ForgeReply | Refusal> {
  const range = readRange(request, { size, etag: `"${oid}"` })
  if (isRefusal(range)) return range
  const isEmpty = request.method === 'HEAD' || size === 0
  const content = isEmpty ? nothing() : await storage.read(token, hash, { range, signal })
  return isRefusal(content) ? content : fileReply({ size, range, headers, parts: content })
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

const notShown = refuse(
  'entry_not_found',
  'The storage does not show the content of this file at this revision.',
)

export interface LargeFileAddress {
  readonly repo: RepoRef | undefined
  readonly oid: LfsOid
}

export const lfsObject: ForgeHandler<LargeFileAddress> = async (
  exchange,
  { repo, oid },
  { seal, clock, storage },
) => {
  const [proof = ''] = exchange.query.get('proof') ?? []
  const opened = repo && openDownload(seal, { repo, oid }, { proof, clock })
  if (opened === undefined) return notGood
  const { token, hash, size } = opened
  const headers = ['ETag', `"${oid}"`, ...asDownload(oid)]
  return storedFile(exchange, storage, { token, hash, pointer: { oid, sizeBytes: size }, headers })
}

export const notGood = refuse(
  'blob_url_invalid',
  'This address is over, or this hub has not made it. Ask for the large file again.',
)
