/** Where git-lfs uploads to: the ref that the client names, or the caller's own upload ref. */

import type { CallerQuestions, IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import {
  isRefusal,
  parseRevision,
  type RefName,
  type Refusal,
  type RepoRef,
} from '@latchkey/protocol'

export interface UploadPlace {
  /** Writes there. */
  readonly token: IssuedStorageToken
  /** Undefined for the caller's upload ref. */
  readonly ref: { readonly name: RefName; readonly asNamed: string } | undefined
}

export interface UploadPlaceQuestion {
  readonly hub: Pick<CallerQuestions, 'decide' | 'openUpload' | 'uploadTokens'>
  readonly repo: RepoRef
  /** As the client names it. */
  readonly name: string | undefined
}

/**
 * A client that names no branch is about to make a pull request, or is an old git-lfs: both find the content of the upload
 * ref again. A branch that is not there yet, or that the caller may only propose to change, has no other place.
 */
export async function findUploadPlace(
  question: UploadPlaceQuestion,
): Promise<UploadPlace | Refusal> {
  const { name } = question
  if (name === undefined) {
    const own = await uploadRefOf(question)
    const isRefused = isRefusal(own) && own.code === 'permission_denied'
    return isRefused ? writePlace(question, 'HEAD') : own
  }
  const named = await writePlace(question, name)
  if (!isRefusal(named)) return named
  const own = await uploadRefOf(question)
  return isRefusal(own) && named.code === 'permission_denied' ? named : own
}

async function writePlace(
  { hub, repo }: UploadPlaceQuestion,
  name: string,
): Promise<UploadPlace | Refusal> {
  const revision = parseRevision(name)
  const permitted = await hub.decide({ repo, revision, scope: 'write' })
  if (isRefusal(permitted)) return permitted
  const token = await permitted.storageToken()
  if (isRefusal(token)) return token
  // `HEAD` names a branch only on the routes of Hugging Face, so the place names the branch itself.
  const refName = permitted.ref.name as RefName
  return { token, ref: { name: refName, asNamed: revision.kind === 'impossible' ? refName : name } }
}

async function uploadRefOf({ hub, repo }: UploadPlaceQuestion): Promise<UploadPlace | Refusal> {
  const permitted = await hub.openUpload({ repo, revision: undefined, scope: 'read' })
  if (isRefusal(permitted)) return permitted
  const [token] = await hub.uploadTokens(repo)
  if (token === undefined) throw new Error('an upload ref that was opened has no token')
  return { token, ref: undefined }
}
