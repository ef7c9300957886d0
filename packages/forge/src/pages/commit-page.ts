import { formatRevision, isRefusal, type Refusal, repoId } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import type { RevisionAddress } from '../addresses/find-route.ts'
import type { ChangedPath, Commit } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'
import type { ForgeReply } from '../http/reply.ts'
import { isFilled, objectsMissing, openRevision } from '../large-files/open-revision.ts'
import { readableCommits } from '../large-files/readable-commits.ts'
import type { ShownPage, Visit } from './as-page.ts'
import { hrefsOf, type RepoHrefs } from './hrefs.ts'
import { pageReply } from './page.ts'
import { shownText, shownTime } from './text.ts'

const maxFiles = 500
const [maxTitle, maxMessage, maxName] = [200, 8192, 100]

export const commitPage: ShownPage<RevisionAddress> = { show, hrefOf }

function hrefOf(
  { repo, revision }: RevisionAddress,
  { publicUrl }: Pick<ForgeDeps, 'publicUrl'>,
): string | undefined {
  return repo && hrefsOf(publicUrl, repo).commit(formatRevision(revision))
}

async function show(
  visit: Visit,
  address: RevisionAddress,
  parts: ForgeDeps,
): Promise<ForgeReply | Refusal> {
  const { hub, account, signal } = visit
  const opened = await openRevision(hub, parts.git, { ...address, scope: 'read' })
  if (isRefusal(opened)) return opened
  const { repository, commit: hash, permitted } = opened
  const commit = hash && (await repository?.readCommit(hash))
  if (!isFilled(opened) || !commit) return objectsMissing(opened)
  const readable = await readableCommits(hub, permitted, commit.parents)
  const [from] = commit.parents
  // A merge is shown as what it brought into its first parent. The changes name files of that parent.
  const isShown = from === undefined || readable.has(from)
  const comparison = { from, to: commit.hash }
  const changed = isShown
    ? await opened.repository.changedPaths(comparison, { limit: maxFiles, signal })
    : undefined
  const hrefs = hrefsOf(parts.publicUrl, permitted.repo)
  const title = repoId(permitted.repo)
  const rest =
    changed?.hasMore &&
    html`<p>These are the first ${maxFiles} changed files. Clone the repository to see all of them.</p>\n`
  const parents = commit.parents.filter((parent) => readable.has(parent))
  const shownCommit = { ...commit, parents }
  const files = changed
    ? filesPart(changed.paths, commit, hrefs)
    : html`<p>You may not read the commit before this one, so its changes are not shown.</p>\n`
  const main = html`<main>
<h1><a href="${hrefs.repo}">${shownText(title)}</a> <span class="kind">${permitted.repo.type}</span></h1>
${headPart(shownCommit, hrefs)}${files}${rest}</main>
`
  return pageReply({ title, main, account, next: hrefOf(address, parts) }, parts.publicUrl)
}

function headPart({ hash, parents, message, author, committer }: Commit, hrefs: RepoHrefs): Html {
  const [title = '', ...lines] = message.trimEnd().split('\n')
  const text = lines.join('\n').trim().slice(0, maxMessage)
  const body = text !== '' && html`<pre class="plain" tabindex="0">${text}</pre>\n`
  const by = shownText(author.name.slice(0, maxName))
  const before = parents.map(
    (parent, at) =>
      html`${at === 0 ? ', after ' : ', '}${link(hrefs.commit(parent), code(parent))}`,
  )
  return html`<h2>${shownText(title.slice(0, maxTitle))}</h2>
${body}<p class="note">${code(hash)} by ${by}, ${shownTime(committer.at)}${before}. ${link(hrefs.tree(hash), 'Files at this commit')}</p>
`
}

function filesPart(
  paths: readonly ChangedPath[],
  { hash, parents }: Commit,
  hrefs: RepoHrefs,
): Html {
  if (paths.length === 0) return html`<p>This commit changes no file.</p>\n`
  const rows = paths.map((one) => row(one, { hash, parent: parents[0] }, hrefs))
  return html`<table class="files">
<thead><tr><th scope="col">File</th><th scope="col" class="size">Change</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`
}

/** A deleted file is shown as the parent has it. */
function row(
  { change, path, kind }: ChangedPath,
  { hash, parent }: { readonly hash: string; readonly parent: string | undefined },
  hrefs: RepoHrefs,
): Html {
  const at = change === 'deleted' ? parent : hash
  // A name that is no UTF-8 is shown, and cannot be asked for.
  const hasPage = kind === 'file' && at !== undefined && !path.includes('\ufffd')
  const name = hasPage ? link(hrefs.file(at, path), shownText(path)) : shownText(path)
  return html`<tr><td>${name}</td><td class="size">${change}</td></tr>\n`
}

function code(hash: string): Html {
  return html`<code>${hash.slice(0, 8)}</code>`
}

function link(href: string, words: Html | string): Html {
  return html`<a href="${href}">${words}</a>`
}
