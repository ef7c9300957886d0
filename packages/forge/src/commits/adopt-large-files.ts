/** Makes sure that the ref of a commit has the content of every large file in it. */

import type { CallerQuestions, IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import type { AskStorage } from '../large-files/ask-storage.ts'
import { quoted } from '../words/quoted.ts'
import { findContent } from './find-content.ts'
import type { LargeFile } from './stage.ts'

export interface Adopting {
  readonly hub: Pick<CallerQuestions, 'uploadTokens'>
  readonly storage: AskStorage
  readonly repo: RepoRef
  /** Writes to the ref. */
  readonly to: IssuedStorageToken
  /** See more content that the caller may read. */
  readonly through?: readonly IssuedStorageToken[]
}

/**
 * The storage has hashed the bytes itself, and shows them to the caller: through this ref, or where the caller uploads
 * before there is a ref. They become the ref's own before the directory records the commit, so that the commit shows them.
 */
export async function adoptLargeFiles(
  { hub, storage, repo, to, through = [] }: Adopting,
  large: readonly LargeFile[],
): Promise<Refusal | undefined> {
  const files = large.filter(({ sizeBytes }) => sizeBytes > 0)
  if (files.length === 0) return undefined
  const own = await findContent(storage, files, [to, ...through])
  if (isRefusal(own)) return own
  const others = files.filter((_, at) => own[at] === undefined)
  const uploads = others.length === 0 ? [] : await hub.uploadTokens(repo)
  const uploaded = await findContent(storage, others, uploads)
  if (isRefusal(uploaded)) return uploaded
  const missing = others.find((_, at) => uploaded[at] === undefined)
  if (missing !== undefined) return notUploaded(missing.path)
  const hashes = new Set([...own, ...uploaded].filter((hash) => hash !== undefined))
  return storage.adopt(to, [...hashes], [...through, ...uploads])
}

function notUploaded(path: string): Refusal {
  const detail = `The storage has no content for the large file ${quoted(path)}. Upload it first.`
  return refuse('bad_request', detail)
}
