import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import type { RevisionAndPath } from '../addresses/find-route.ts'
import { parseTreePath, type TreePath } from '../git/index.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'
import { type DescribedFile, describeFiles } from '../large-files/describe-files.ts'
import {
  type FilledRevision,
  isFilled,
  lacksObjects,
  objectsMissing,
  openRevision,
} from '../large-files/open-revision.ts'
import { readableCommits } from '../large-files/readable-commits.ts'
import { cutToJson } from '../words/json-bytes.ts'
import { isFlagSet } from '../words/query.ts'
import { quoted } from '../words/quoted.ts'
import { nextLink } from './addresses-of.ts'
import { isoTime } from './repo-info.ts'

type Asked = RevisionAndPath & { readonly repo: RepoRef | undefined }

const maxListed = 1000
/** To find the last commit of a file takes a walk through the history. */
export const maxExpanded = 100
/** The bound of one commit message, as JSON: a page of them stays below 1 MiB. Git has the whole message. */
export const maxMessageBytes = 10_000

export const tree: ForgeHandler<Asked> = async (exchange, address, parts) => {
  const { hub, query, request, signal } = exchange
  const { git, publicUrl, xetHashes } = parts
  const { repo, revision, path: filePath } = address
  const opened = await openRevision(hub, git, { repo, revision, scope: 'read' })
  if (isRefusal(opened)) return opened
  if (lacksObjects(opened)) return objectsMissing(opened)
  const path = filePath && parseTreePath(filePath)
  if (filePath !== undefined && path === undefined) return noEntry(filePath)
  if (!isFilled(opened)) return filePath === undefined ? json([]) : noEntry(filePath)
  const isExpanded = isFlagSet(query, 'expand')
  const page = await opened.repository.listTree(opened.tree, {
    path,
    recursive: isFlagSet(query, 'recursive'),
    after: query.get('cursor')?.at(-1),
    limit: limitIn(query, isExpanded ? maxExpanded : maxListed),
  })
  if (page === undefined) return noEntry(filePath ?? '')
  const described = await describeFiles(opened.repository, page.entries)
  const files = await xetHashes.addTo(described, { hub, permitted: opened.permitted, revision })
  const link = page.next && nextLink(publicUrl, request.url ?? '', { cursor: page.next })
  return json(isExpanded ? await withCommits(hub, opened, files, signal) : files, {
    headers: link || [],
  })
}

export function limitIn(query: ReadonlyMap<string, readonly string[]>, most: number): number {
  const requestedLimit = Number(query.get('limit')?.at(-1))
  return Number.isInteger(requestedLimit) && requestedLimit > 0
    ? Math.min(requestedLimit, most)
    : most
}

export function noEntry(path: string): Refusal {
  return refuse('entry_not_found', `The revision has no file or folder ${quoted(path)}.`)
}

export async function withCommits(
  hub: Pick<CallerQuestions, 'decide'>,
  { repository, commit, permitted }: FilledRevision,
  files: readonly DescribedFile[],
  signal: AbortSignal,
): Promise<readonly object[]> {
  const paths = files.map(({ path }) => parseTreePath(path))
  const validPaths = paths.filter((path): path is TreePath => path !== undefined)
  const commits = await repository.lastCommits(commit, validPaths, { signal })
  const hashes = commits.values().map(({ hash }) => hash)
  const readable = await readableCommits(hub, permitted, [...hashes])
  return files.map((file, at) => {
    const path = paths[at]
    const found = path && commits.get(path)
    const last = found && readable.has(found.hash) ? found : undefined
    const [line = ''] = last?.message.split('\n', 1) ?? []
    const title = cutToJson(line, maxMessageBytes)
    const lastCommit = last && { id: last.hash, title, date: isoTime(last.committer.at) }
    return { ...file, lastCommit: lastCommit ?? null, securityFileStatus: null }
  })
}
