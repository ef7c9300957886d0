import type { ListedRepository } from '@latchkey/admin-api/forge-port'
import {
  formatRepoRef,
  isName,
  isRefusal,
  type Refusal,
  type RepoType,
  refuse,
  repoId,
} from '@latchkey/protocol'
import { GitFailed } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'
import { isFilled, openPermitted } from '../large-files/open-revision.ts'
import { type CostlyField, fieldsOfList } from '../metadata/wanted-fields.ts'
import { jsonBytes } from '../words/json-bytes.ts'
import { quoted } from '../words/quoted.ts'
import { nextLink } from './addresses-of.ts'
import { limitIn } from './tree.ts'

type Query = ReadonlyMap<string, readonly string[]>

const maxListed = 500
/** With what their files tell. */
const maxDetailed = 50
const maxSiblings = 1000
/** A page ends with the repository whose details reach so many bytes of JSON. */
const maxDetailBytes = 1024 * 1024
/** Repositories that are looked into at the same time for one request. */
const atATime = 4

/** This hub counts no downloads and likes, so any order of them is right. */
const sorts = ['id', 'downloads', 'likes', 'likes30d', 'trending_score', 'trendingScore']

/** They would leave some out, by what this hub does not know of any. */
const filters = [
  ...['filter', 'apps', 'gated', 'inference', 'inference_provider', 'pipeline_tag'],
  ...['num_parameters', 'datasets', 'models', 'linked'],
]

export const listRepos: ForgeHandler<{ readonly type: RepoType }> = async (
  exchange,
  { type },
  parts,
) => {
  const { hub, query, request } = exchange
  const { seal, publicUrl } = parts
  const unserved = refuseUnserved(query)
  const namespace = query.get('author')?.at(-1)
  const after = openCursor(query, seal)
  if (unserved !== undefined) return unserved
  if (isRefusal(after)) return after
  const fields = fieldsOfList(query)
  const limit = limitIn(query, fields.size > 0 ? maxDetailed : maxListed)
  const page = await hub.repositories({
    ...{ type, namespace, after, limit },
    search: query.get('search')?.join(' ') || undefined,
  })
  if (isRefusal(page)) return page
  const details = await describeAll(page.repositories, { exchange, fields }, parts)
  const listed = page.repositories.slice(0, details.length)
  const items = listed.map((one, at) => ({ ...repositoryOutput(one), ...details[at] }))
  const last = listed.length < page.repositories.length ? listed.at(-1) : undefined
  const end = last === undefined ? page.next : formatRepoRef(last.repo)
  const next = end && { cursor: seal.close(cursorPlace, end) }
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

/** Sealed: a page may end at a repository that is hidden from the caller by then. */
export function openCursor(
  query: Query,
  seal: ForgeDeps['seal'],
  place = cursorPlace,
): string | undefined | Refusal {
  const cursor = query.get('cursor')?.at(-1)
  if (cursor === undefined) return undefined
  const after = seal.open(place, cursor)
  return after ?? refuse('bad_request', 'This cursor is not known any more. List from the start.')
}

function repositoryOutput({
  repo,
  uid,
  visibility,
  commit,
  createdAt,
  updatedAt,
}: ListedRepository): object {
  const id = repoId(repo)
  return {
    ...{ _id: uid, id, author: repo.namespace, sha: commit },
    ...(repo.type === 'model' ? { modelId: id } : {}),
    ...{ private: visibility !== 'public', gated: false, disabled: false },
    ...{ downloads: 0, likes: 0, createdAt, lastModified: updatedAt },
  }
}

interface DetailRequest {
  readonly exchange: Exchange
  readonly fields: ReadonlySet<CostlyField>
}

function unlessDamaged(error: unknown): object {
  if (error instanceof GitFailed) return {}
  throw error
}

/**
 * Describes the first repositories, until the page is full. A repository that git cannot read, or that has moved on meanwhile, is
 * listed without details.
 */
async function describeAll(
  repositories: readonly ListedRepository[],
  { exchange: { hub, signal }, fields }: DetailRequest,
  { git, describeRevision }: ForgeDeps,
): Promise<readonly object[]> {
  const details: object[] = repositories.map(() => ({}))
  if (fields.size === 0) return details
  const sizes = repositories.map(() => 0)
  const isFull = () => fullAt(sizes) < sizes.length
  const waiting = repositories.entries()
  const work = async () => {
    for (const [at, { repo }] of waiting) {
      if (isFull()) return
      const permitted = await hub.decide({ repo, revision: undefined, scope: 'read' })
      if (isRefusal(permitted)) continue
      const open = async () => {
        const opened = await openPermitted(permitted, git)
        return isFilled(opened) ? opened : undefined
      }
      const request = { fields, maxSiblings, hub, signal }
      const description = await describeRevision({ permitted, open }, request).catch(unlessDamaged)
      if (description === undefined) continue
      details[at] = { sha: permitted.commit, ...description }
      sizes[at] = jsonBytes(description, maxDetailBytes)
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return details.slice(0, fullAt(sizes))
}

/** How many of them make a page. */
function fullAt(sizes: readonly number[]): number {
  let bytes = 0
  const last = sizes.findIndex((size) => {
    bytes += size
    return bytes >= maxDetailBytes
  })
  return last === -1 ? sizes.length : last + 1
}
