/** `GET /api/models`, `/api/datasets`, `/api/spaces`: the repositories that the caller may read. */

import { isName, isRefusal, type Refusal, type RepoType, refuse, repoId } from '@latchkey/protocol'
import type { ForgeParts, Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'
import type { ListedRepository } from '../hub-port.ts'
import { quoted } from '../names/quoted.ts'
import { nextLink } from './addresses-of.ts'
import { limitIn } from './tree.ts'

type Query = ReadonlyMap<string, readonly string[]>

const mostListed = 500

/** This hub counts no downloads and likes, so any order of them is right. */
const sorts = ['id', 'downloads', 'likes', 'likes30d', 'trending_score', 'trendingScore']

/** They would leave some out, by what this hub does not know of any. */
const filters = [
  ...['filter', 'apps', 'gated', 'inference', 'inference_provider', 'pipeline_tag'],
  ...['num_parameters', 'datasets', 'models', 'linked'],
]

export const listRepos: Handle<{ readonly type: RepoType }> = async (
  { hub, query, request },
  { type },
  { seal, publicUrl },
) => {
  const unserved = refuseUnserved(query)
  const namespace = query.get('author')?.at(-1)
  const after = openCursor(query, seal)
  if (unserved !== undefined) return unserved
  if (isRefusal(after)) return after
  const page = await hub.repositories({
    ...{ type, namespace, after, limit: limitIn(query, mostListed) },
    search: query.get('search')?.join(' ') || undefined,
  })
  if (isRefusal(page)) return page
  const items = page.repositories.map(shown)
  const next = page.next && { cursor: seal.close(cursorPlace, page.next) }
  return json(namespace === undefined || isName(namespace) ? items : [], {
    headers: next ? nextLink(publicUrl, request.url ?? '', next) : [],
  })
}

function refuseUnserved(query: Query): Refusal | undefined {
  const filter = filters.find((name) => query.has(name))
  if (filter !== undefined) {
    return refuse('bad_request', `This hub does not filter repositories by ${filter}.`)
  }
  const sort = query.get('sort')?.at(-1) ?? 'id'
  if (sorts.includes(sort)) return undefined
  return refuse('bad_request', `This hub lists repositories by name, not by ${quoted(sort)}.`)
}

export const cursorPlace = 'cursor'

/** Sealed: a page may end at a repository that the caller may not see. */
export function openCursor(query: Query, seal: ForgeParts['seal']): string | undefined | Refusal {
  const cursor = query.get('cursor')?.at(-1)
  if (cursor === undefined) return undefined
  const after = seal.open(cursorPlace, cursor)
  return after ?? refuse('bad_request', 'This cursor is not known any more. List from the start.')
}

function shown({ repo, uid, visibility, commit, createdAt, updatedAt }: ListedRepository): object {
  const id = repoId(repo)
  return {
    ...{ _id: uid, id, author: repo.namespace, sha: commit },
    ...(repo.type === 'model' ? { modelId: id } : {}),
    ...{ private: visibility !== 'public', gated: false, disabled: false },
    ...{ tags: [], downloads: 0, likes: 0, createdAt, lastModified: updatedAt },
  }
}
