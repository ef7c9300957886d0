/** `GET …/refs`: the branches and tags that the caller may read. */

import { isRefusal, type RefName, type RepoRef, refKind } from '@latchkey/protocol'
import type { Handle } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'
import { isNone } from '../large-files/open-revision.ts'
import { isFlagSet } from '../words/query.ts'

export const refs: Handle<{ readonly repo: RepoRef | undefined }> = async (
  { hub, query },
  { repo },
) => {
  const found = await hub.refs(repo)
  if (isRefusal(found)) return found
  // A branch without a commit cannot be asked for.
  const shown = [...found.refs].filter(([, commit]) => !isNone(commit))
  const below = (folder: string) =>
    shown
      .filter(([ref]) => ref.startsWith(folder))
      .map(([ref, targetCommit]) => ({ name: shortName(ref), ref, targetCommit }))
  return json({
    branches: below('refs/heads/'),
    converts: below('refs/convert/'),
    tags: below('refs/tags/'),
    ...(isFlagSet(query, 'include_prs') ? { pullRequests: below('refs/pr/') } : {}),
  })
}

function shortName(ref: RefName): string {
  return refKind(ref) === 'other' ? ref.slice('refs/'.length) : ref.split('/').slice(2).join('/')
}
