/** `GET …/commits/{revision}`: the history behind a revision, the newest first. */

import { isRefusal, type RepoRef, type Revision } from '@latchkey/protocol'
import { cutToJson, jsonBytes } from '../encoding/json-bytes.ts'
import { isFilled, lacksObjects, objectsMissing, openRevision } from '../files/open-revision.ts'
import { readableCommits } from '../files/readable-commits.ts'
import type { Commit } from '../git/index.ts'
import type { Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'
import { nextLink } from './addresses-of.ts'
import { isoTime } from './repo-info.ts'
import { limitIn, maxMessageBytes } from './tree.ts'

interface Asked {
  readonly repo: RepoRef | undefined
  readonly revision: Revision
}

const mostListed = 100

export const commits: Handle<Asked> = async ({ hub, query, request, signal }, asked, parts) => {
  const opened = await openRevision(hub, parts.git, { ...asked, scope: 'read' })
  if (isRefusal(opened)) return opened
  if (lacksObjects(opened)) return objectsMissing(opened)
  if (!isFilled(opened)) return json([], { headers: ['X-Total-Count', '0'] })
  const page = pageIn(query.get('p')?.at(-1))
  const limit = limitIn(query, mostListed)
  const found = await opened.repository.log(opened.commit, {
    limit: limit + 1,
    skip: page * limit,
    signal,
  })
  const next = { p: String(page + 1) }
  const link = found.length > limit ? nextLink(parts.publicUrl, request.url ?? '', next) : []
  const { permitted } = opened
  const hashes = found.slice(0, limit).map(({ hash }) => hash)
  const readable = await readableCommits(hub, permitted, hashes)
  // The number would count commits that are hidden from the caller.
  const total = permitted.readsEveryRef ? await parts.countCommits(opened, signal) : undefined
  const headers = [...link, ...(total === undefined ? [] : ['X-Total-Count', String(total)])]
  const listed = found.slice(0, limit).filter(({ hash }) => readable.has(hash))
  return json(listed.map(shown), { headers })
}

function pageIn(text = '0'): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

function shown({ hash, message, author }: Commit): object {
  // Not cut into its lines: a message may have tens of thousands of them.
  const text = message.trimEnd()
  const end = text.indexOf('\n')
  const title = cutToJson(end === -1 ? text : text.slice(0, end), maxMessageBytes)
  const left = maxMessageBytes - jsonBytes(title, maxMessageBytes)
  const rest = cutToJson(end === -1 ? '' : text.slice(end).trim(), Math.max(0, left))
  const authors = [{ user: author.name }]
  return { id: hash, title, message: rest, authors, date: isoTime(author.at) }
}
