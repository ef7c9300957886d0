/** `GET /api/{type}/{repository}[/revision/{revision}]`: what there is to know of a repository at a revision. */

import { isRefusal, noCommit, type RepoRef, type Revision, repoId } from '@latchkey/protocol'
import { isFlagSet } from '../addresses/query.ts'
import { describeFiles } from '../files/describe-files.ts'
import { isFilled, type OpenRevision, openRevision } from '../files/open-revision.ts'
import type { Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'

interface Asked {
  readonly repo: RepoRef | undefined
  readonly revision: Revision | undefined
}

/** Of a repository with more there is no list here: part of one would be taken for the whole. `…/tree/…` is paged. */
const mostSiblings = 20_000

export const repoInfo: Handle<Asked> = async ({ hub, query }, { repo, revision }, { git }) => {
  const opened = await openRevision(hub, git, { repo, revision, scope: 'read' })
  if (isRefusal(opened)) return opened
  const { permitted, commit, repository } = opened
  const { repo: named, repositoryUid: uid } = permitted
  const described = await hub.describe(uid)
  const head = commit && (await repository?.readCommit(commit))
  const id = repoId(named)
  return json({
    ...{ _id: uid, id, author: named.namespace, sha: commit ?? noCommit },
    ...(named.type === 'model' ? { modelId: id } : {}),
    ...{ private: described?.visibility !== 'public', gated: false, disabled: false },
    ...{ tags: [], downloads: 0, likes: 0, createdAt: described?.createdAt },
    lastModified: head ? isoTime(head.committer.at) : described?.createdAt,
    siblings: await siblingsOf(opened, isFlagSet(query, 'blobs')),
  })
}

export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

async function siblingsOf(opened: OpenRevision, withBlobs: boolean): Promise<readonly object[]> {
  if (!isFilled(opened)) return []
  const { repository, tree } = opened
  const page = await repository.listTree(tree, { recursive: true, limit: mostSiblings })
  if (page === undefined || page.next !== undefined) return []
  const files = page.entries.filter(({ kind }) => kind !== 'folder')
  if (!withBlobs) return files.map(({ path }) => ({ rfilename: path }))
  const described = await describeFiles(repository, files)
  return described.map(({ path, oid, size, lfs }) => ({
    ...{ rfilename: path, blobId: oid, size },
    ...(lfs && { lfs: { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize } }),
  }))
}
