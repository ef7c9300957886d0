/** Makes sure that the ref of a commit has the content of every large file in it. */

import { isRefusal, type RefName, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import type { HubQuestions } from '../hub-port.ts'
import { quoted } from '../names/quoted.ts'
import type { AskStorage, FileHash } from '../storage/ask-storage.ts'
import type { LargeFile } from './stage.ts'

export interface Adopting {
  readonly hub: Pick<HubQuestions, 'storageToken'>
  readonly storage: AskStorage
  readonly repo: RepoRef
  readonly ref: RefName
}

const atATime = 8

/**
 * The storage has hashed the bytes itself, and shows them to the write token of this ref. They become the ref's own before
 * the directory records the commit, so that the commit shows them.
 */
export async function adoptLargeFiles(
  { hub, storage, repo, ref }: Adopting,
  files: readonly LargeFile[],
): Promise<Refusal | undefined> {
  if (files.length === 0) return undefined
  const revision = { kind: 'ref', name: ref } as const
  const token = await hub.storageToken({ repo, revision, scope: 'write' })
  if (isRefusal(token)) return token
  const hashes = new Set<FileHash>()
  for (let at = 0; at < files.length; at += atATime) {
    const group = files.slice(at, at + atATime)
    const found = await Promise.all(group.map((file) => storage.find(token, file)))
    for (const [index, hash] of found.entries()) {
      if (isRefusal(hash)) return hash
      if (hash === undefined) return notUploaded(group[index]?.path ?? '')
      if (group[index]?.sizeBytes !== 0) hashes.add(hash)
    }
  }
  return storage.adopt(token, [...hashes])
}

function notUploaded(path: string): Refusal {
  const detail = `The storage has no content for the large file ${quoted(path)}. Upload it first.`
  return refuse('bad_request', detail)
}
