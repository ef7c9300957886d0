import { type Html, html } from '@latchkey/service/http/html'
import type { ForgeDeps } from '../handler/exchange.ts'
import { pointerAt } from '../large-files/describe-files.ts'
import type { FoundEntry } from '../large-files/find-entry.ts'
import type { FilledRevision } from '../large-files/open-revision.ts'
import { crumbs } from './crumbs.ts'
import { filesHref } from './folder-part.ts'
import { encodePath, type RepoHrefs } from './hrefs.ts'
import { shownSize, shownText } from './text.ts'

export interface FileAsked {
  readonly hrefs: RepoHrefs
  readonly revision: string
  readonly hasSession: boolean
  readonly payer: string
  readonly command: Html | undefined
}

const maxShownBytes = 256 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

export async function filePart(
  { repository }: FilledRevision,
  { path, kind, hash, size }: FoundEntry,
  { hrefs, revision, hasSession, payer, command }: FileAsked,
  { showReadme }: Pick<ForgeDeps, 'showReadme'>,
): Promise<Html> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const head = html`<h2>${shownText(name)}</h2>\n${crumbs(hrefs, revision, path)}`
  if (kind !== 'file')
    return html`${head}<p>This is a ${kind}: it is kept as it is, and never followed.</p>\n`
  const pointer = await pointerAt(repository, hash, size)
  const bytes = pointer?.sizeBytes ?? size
  const note =
    pointer && html` <span class="tag">large</span><br>SHA-256 <code>${pointer.oid}</code>`
  // Other routes do not know the session, so that it can do no more than show pages.
  const href = (hasSession ? hrefs.download : hrefs.resolve)(revision, path)
  // With the attribute `download`, Chromium does not ask for HTML, and the hub sends no ticket of the session.
  const start = html`${head}<p>${shownSize(bytes)}${note}</p>
<p><a href="${href}">Download</a></p>
${command}`
  if (pointer !== undefined || size > maxShownBytes) return start
  const text = textIn((await repository.readObject(hash, maxShownBytes))?.bytes)
  if (text === undefined) return start
  if (!/\.md$/i.test(path)) return html`${start}<pre class="plain" tabindex="0">${text}</pre>\n`
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const place = { files: filesHref(hrefs, revision), folder: encodePath(folder) }
  const readme = await showReadme({ text, hash, place, payer })
  return html`${start}<div class="readme">${readme}</div>\n`
}

/** Undefined for what is no text. */
function textIn(bytes: Uint8Array | undefined): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
