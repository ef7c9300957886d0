import type { RepositoryDescription } from '@latchkey/admin-api/forge-port'
import {
  formatRevision,
  isRefusal,
  type Refusal,
  type RepoRef,
  type Revision,
  refuse,
  repoId,
} from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import { isFromElsewhere } from '@latchkey/service/http/same-origin'
import { resolve } from '../api/resolve.ts'
import { noEntry } from '../api/tree.ts'
import { parseTreePath } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'
import type { ForgeReply } from '../http/reply.ts'
import { findEntry } from '../large-files/find-entry.ts'
import {
  type FilledRevision,
  isFilled,
  lacksObjects,
  type OpenRevision,
  openRevision,
} from '../large-files/open-revision.ts'
import type { FilePath } from '../words/file-path.ts'
import { isFlagSet } from '../words/query.ts'
import type { ShownPage, Visit } from './as-page.ts'
import { filePart } from './file-part.ts'
import { folderPart } from './folder-part.ts'
import { downloadCommand, howTo } from './how-to.ts'
import { hrefsOf } from './hrefs.ts'
import { pageReply } from './page.ts'
import { bareName, refsPart } from './refs-part.ts'
import { shownText, shownTime } from './text.ts'

export interface RepoPageAsked {
  readonly repo: RepoRef | undefined
  /** Undefined for the default branch. */
  readonly revision?: Revision | undefined
  /** Undefined for the top. */
  readonly path?: FilePath | undefined
}

export function repoPage(view: 'folder' | 'file'): ShownPage<RepoPageAsked> {
  const hrefOf: ShownPage<RepoPageAsked>['hrefOf'] = ({ repo, revision, path }, { publicUrl }) => {
    if (repo === undefined) return undefined
    const hrefs = hrefsOf(publicUrl, repo)
    if (revision === undefined) return hrefs.repo
    const name = formatRevision(revision)
    return view === 'file' && path !== undefined ? hrefs.file(name, path) : hrefs.tree(name, path)
  }
  return {
    hrefOf,
    show: (visit, address, parts) => show(visit, address, hrefOf(address, parts), parts),
  }
}

async function show(
  visit: Visit,
  address: RepoPageAsked,
  next: string | undefined,
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { revision, path } = address
  if (revision !== undefined && path !== undefined && isFlagSet(visit.query, 'download')) {
    return download(visit, { repo: address.repo, revision, path }, parts)
  }
  const { hub, account } = visit
  const opened = await openRevision(hub, parts.git, {
    ...{ repo: address.repo, revision, scope: 'read' },
  })
  if (isRefusal(opened)) return opened
  const { repo, repositoryUid, ref } = opened.permitted
  const described = await hub.describe(repositoryUid)
  const name = revision === undefined ? bareName(ref.name) : formatRevision(revision)
  const content = await contentPart(opened, { visit, address, name }, parts)
  if (isRefusal(content)) return content
  const refs = await hub.refs(repo)
  const hrefs = hrefsOf(parts.publicUrl, repo)
  const isDefault = ref.name === described?.defaultBranch
  const how = howTo({ publicUrl: parts.publicUrl, repo, revision: isDefault ? undefined : name })
  const main = html`<main>
<h1><a href="${hrefs.repo}">${shownText(repoId(repo))}</a> <span class="kind">${repo.type}</span> <span class="kind">${visibilityOf(described)}</span></h1>
${await headLine(opened, name)}<div class="columns">
<div>
${content}</div>
<aside>
${how}${!isRefusal(refs) && refsPart(refs, hrefs, ref.name)}</aside>
</div>
</main>
`
  return pageReply({ title: repoId(repo), main, account, next }, parts.publicUrl)
}

function visibilityOf(described: RepositoryDescription | undefined): string {
  return described?.visibility === 'public' ? 'public' : 'private'
}

async function headLine({ repository, commit }: OpenRevision, name: string): Promise<Html> {
  const head = commit && (await repository?.readCommit(commit))
  if (!head) return html`<p class="note">${shownText(name)}</p>\n`
  const [title = ''] = head.message.split('\n', 1)
  const by = html`${shownText(title.slice(0, 200))}, ${shownText(head.author.name.slice(0, 100))}`
  return html`<p class="note">${shownText(name)} at <code>${head.hash.slice(0, 8)}</code>: ${by}, ${shownTime(head.committer.at)}</p>\n`
}

interface ContentAsked {
  readonly visit: Visit
  readonly address: RepoPageAsked
  /** The revision, as addresses write it. */
  readonly name: string
}

async function contentPart(
  opened: OpenRevision,
  { visit, address, name }: ContentAsked,
  parts: ForgeDeps,
): Promise<Html | Refusal> {
  const { path } = address
  if (lacksObjects(opened) && path === undefined) {
    return html`<h2>Files</h2>\n<p>The hub knows this commit, and its files were never pushed here.</p>\n`
  }
  if (!isFilled(opened)) {
    if (path !== undefined) return noEntry(path)
    return html`<h2>Files</h2>\n<p>There is no commit yet.</p>\n`
  }
  return path === undefined
    ? ((await folderAt(opened, { visit, name, path: undefined }, parts)) ?? noEntry(''))
    : entryAt(opened, { visit, name, path }, parts)
}

interface Within {
  readonly visit: Visit
  readonly name: string
  readonly path: FilePath | undefined
}

function folderAt(
  opened: FilledRevision,
  { visit, name, path }: Within,
  parts: ForgeDeps,
): Promise<Html | undefined> {
  const hrefs = hrefsOf(parts.publicUrl, opened.permitted.repo)
  const after = visit.query.get('after')?.at(-1)
  const payer = visit.hub.payer()
  const folder = path === undefined ? undefined : parseTreePath(path)
  return folderPart(opened, { hrefs, revision: name, path: folder, after, payer }, parts)
}

async function entryAt(
  opened: FilledRevision,
  within: Within & { readonly path: FilePath },
  parts: ForgeDeps,
): Promise<Html | Refusal> {
  const { visit, name, path } = within
  const entry = await findEntry(opened.repository, opened.tree, path)
  if (entry === undefined) return noEntry(path)
  if (entry.kind === 'folder') return (await folderAt(opened, within, parts)) ?? noEntry(path)
  const { publicUrl } = parts
  const { repo } = opened.permitted
  const hrefs = hrefsOf(publicUrl, repo)
  const hasSession = visit.account !== undefined
  const command = downloadCommand({ publicUrl, repo, revision: name }, path)
  const payer = visit.hub.payer()
  return filePart(opened, entry, { hrefs, revision: name, hasSession, payer, command }, parts)
}

/** A file as `resolve` gives it, for a browser with a session; only by a link of these pages, or typed. */
async function download(
  visit: Visit,
  address: { repo: RepoRef | undefined; revision: Revision; path: FilePath },
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  if (isFromElsewhere(visit.request)) {
    return refuse('bad_request', 'Files are downloaded from the pages of this hub.')
  }
  const reply = await resolve(visit, address, parts)
  if (isRefusal(reply)) return reply
  const headers = [...(reply.headers ?? []), 'Cross-Origin-Resource-Policy', 'same-origin']
  return { ...reply, headers }
}
