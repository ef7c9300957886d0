import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { RevisionAddress } from '../addresses/find-route.ts'
import type { Commit } from '../git/index.ts'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { type ForgeReply, json } from '../http/reply.ts'
import {
  type FilledRevision,
  isFilled,
  lacksObjects,
  objectsMissing,
  openRevision,
} from '../large-files/open-revision.ts'
import { readableCommits } from '../large-files/readable-commits.ts'
import { cutToJson, jsonBytes } from '../words/json-bytes.ts'
import { nextLink } from './addresses-of.ts'
import { openCursor } from './list-repos.ts'
import { isoTime } from './repo-info.ts'
import { limitIn, maxMessageBytes } from './tree.ts'

const maxListed = 100

/** Commits that may be hidden from the caller before a page ends without more. */
const maxHidden = 1000

export const commits: ForgeHandler<RevisionAddress> = async (exchange, address, parts) => {
  const opened = await openRevision(exchange.hub, parts.git, { ...address, scope: 'read' })
  if (isRefusal(opened)) return opened
  if (lacksObjects(opened)) return objectsMissing(opened)
  if (!isFilled(opened)) return json([], { headers: ['X-Total-Count', '0'] })
  const list = opened.permitted.readsEveryRef ? wholePage : readablePage
  return list(opened, exchange, parts)
}

async function wholePage(
  opened: FilledRevision,
  { query, request, signal }: Exchange,
  parts: ForgeDeps,
): Promise<ForgeReply> {
  const page = pageIn(query.get('p')?.at(-1))
  const limit = limitIn(query, maxListed)
  const found = await opened.repository.log(opened.commit, {
    limit: limit + 1,
    skip: page * limit,
    signal,
  })
  const next = { p: String(page + 1) }
  const link = found.length > limit ? nextLink(parts.publicUrl, request.url ?? '', next) : []
  const total = await parts.countCommits(opened, signal)
  const headers = [...link, ...(total === undefined ? [] : ['X-Total-Count', String(total)])]
  return json(found.slice(0, limit).map(commitOutput), { headers })
}

/**
 * Security boundary: neither the number of a page nor its `Link` counts commits that are hidden from the caller. The cursor
 * is sealed, and names the commit that the listing began with: used elsewhere, it would tell how far it skips.
 */
async function readablePage(
  opened: FilledRevision,
  exchange: Exchange,
  { publicUrl, seal }: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { query, request } = exchange
  if (pageIn(query.get('p')?.at(-1)) > 0) {
    return refuse('bad_request', 'A hub token for some of the refs lists on by `Link`, not by p.')
  }
  const place = `commits ${opened.permitted.repositoryUid}`
  const cursor = openCursor(query, seal, place)
  if (isRefusal(cursor)) return cursor
  const [start = opened.commit, skip = 0] = cursor === undefined ? [] : JSON.parse(cursor)
  const limit = limitIn(query, maxListed)
  const { listed, next } = await findReadable({ ...opened, commit: start }, exchange, {
    skip,
    limit,
  })
  const sealed = next === undefined ? undefined : seal.close(place, JSON.stringify([start, next]))
  const headers =
    sealed === undefined ? [] : nextLink(publicUrl, request.url ?? '', { cursor: sealed })
  return json(listed.map(commitOutput), { headers })
}

interface ReadableCommits {
  readonly listed: readonly Commit[]
  /** How many commits come before the next one that is readable. */
  readonly next?: number
}

async function findReadable(
  { repository, permitted, commit }: FilledRevision,
  { hub, signal }: Exchange,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<ReadableCommits> {
  const listed: Commit[] = []
  for (let [at, hidden] = [skip, 0]; ; ) {
    const found = await repository.log(commit, { limit: maxListed, skip: at, signal })
    const hashes = found.map(({ hash }) => hash)
    const readable = await readableCommits(hub, permitted, hashes)
    for (const one of found) {
      if (!readable.has(one.hash)) hidden += 1
      else if (listed.length === limit) return { listed, next: at }
      else listed.push(one)
      at += 1
    }
    if (found.length < maxListed) return { listed }
    if (hidden >= maxHidden) return { listed, next: at }
  }
}

function pageIn(text = '0'): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

function commitOutput({ hash, message, author }: Commit): object {
  // Not cut into its lines: a message may have tens of thousands of them.
  const text = message.trimEnd()
  const end = text.indexOf('\n')
  const title = cutToJson(end === -1 ? text : text.slice(0, end), maxMessageBytes)
  const left = maxMessageBytes - jsonBytes(title, maxMessageBytes)
  const rest = cutToJson(end === -1 ? '' : text.slice(end).trim(), Math.max(0, left))
  const authors = [{ user: author.name }]
  return { id: hash, title, message: rest, authors, date: isoTime(author.at) }
}
