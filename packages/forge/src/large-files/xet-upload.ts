/** What a batch tells a client that uploads large files to the storage itself: where it gets a write token. */

import type { ForgeQuestions } from '@latchkey/hub/as-caller'
import {
  formatTokenPath,
  isRefusal,
  parseRevision,
  type Refusal,
  type RepoRef,
} from '@latchkey/protocol'
import type { Batch } from './read-batch.ts'

export interface XetUploading {
  readonly hub: Pick<ForgeQuestions, 'decide' | 'openUpload'>
  readonly repo: RepoRef
  readonly publicUrl: string
}

/** A client that names no branch will make a pull request. */
export async function xetUpload(
  { hub, repo, publicUrl }: XetUploading,
  { revision: name, objects }: Batch,
): Promise<object | Refusal> {
  const revision = name === undefined ? undefined : parseRevision(name)
  const decided = await (revision === undefined
    ? hub.openUpload({ repo, revision: undefined, scope: 'read' })
    : hub.decide({ repo, revision, scope: 'write' }))
  if (isRefusal(decided)) return decided
  // `HEAD` names a branch only on the routes of Hugging Face, so the response names the branch itself.
  const branch = revision?.kind === 'impossible' ? decided.ref.name : name
  const path = formatTokenPath(repo, 'write', branch ?? 'None', 'xet')
  const href = `${publicUrl}${path}${name === undefined ? '?create_pr=1' : ''}`
  const upload = { href, header: {} }
  const told = objects.map(({ oid, size }) => ({ oid, size, actions: { upload } }))
  return { transfer: 'xet', hash_algo: 'sha256', objects: told }
}
