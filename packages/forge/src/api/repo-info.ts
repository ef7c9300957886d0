import {
  isRefusal,
  noCommit,
  type RepoRef,
  type Revision,
  repoId,
  type Scope,
} from '@latchkey/protocol'
import type { ForgeHandler } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'
import { isFilled, openRevision } from '../large-files/open-revision.ts'
import { fieldsOfOne } from '../metadata/wanted-fields.ts'
import { isFlagSet } from '../words/query.ts'

interface RepoInfoAddress {
  readonly repo: RepoRef | undefined
  readonly revision?: Revision | undefined
}

const maxSiblings = 20_000

export const repoInfo: ForgeHandler<RepoInfoAddress> = async (
  exchange,
  { repo, revision },
  parts,
) => {
  const { hub, query, signal } = exchange
  const opened = await openRevision(hub, parts.git, { repo, revision, scope: 'read' })
  if (isRefusal(opened)) return opened
  const { permitted, commit, repository } = opened
  const { repo: named, repositoryUid: uid } = permitted
  const described = await hub.describe(uid)
  const head = commit && (await repository?.readCommit(commit))
  const fields = fieldsOfOne(query)
  const withBlobs = isFlagSet(query, 'blobs')
  const request = { fields, withBlobs, maxSiblings, hub, signal }
  const revisionFiles = { permitted, open: async () => (isFilled(opened) ? opened : undefined) }
  const details = (await parts.describeRevision(revisionFiles, request)) ?? noFiles
  const id = repoId(named)
  return json({
    ...{ _id: uid, id, author: named.namespace, sha: commit ?? noCommit },
    ...(named.type === 'model' ? { modelId: id } : {}),
    ...{ private: described?.visibility !== 'public', gated: false, disabled: false },
    ...{ downloads: 0, likes: 0, createdAt: described?.createdAt },
    lastModified: head ? isoTime(head.committer.at) : described?.createdAt,
    ...details,
  })
}

/** `GET …/auth-check[/write]`: whether the caller may read, or write, the default branch. */
export function authCheck(scope: Scope): ForgeHandler<Pick<RepoInfoAddress, 'repo'>> {
  return async ({ hub }, { repo }) => {
    const permitted = await hub.decide({ repo, revision: undefined, scope })
    return isRefusal(permitted) ? permitted : json({})
  }
}

const noFiles = { tags: [], siblings: [] }

export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
