import { type Html, html } from '@latchkey/service/http/html'
import type { ListedEntry } from '../git/index.ts'
import type { DescribedFile } from '../large-files/describe-files.ts'
import type { RepoHrefs } from './hrefs.ts'
import { shownSize, shownText } from './text.ts'

export interface Listing {
  readonly entries: readonly ListedEntry[]
  /** The same in the same order. */
  readonly files: readonly DescribedFile[]
  /** The path of the folder. */
  readonly path: string | undefined
  /** The cursor of the next page. */
  readonly next: string | undefined
}

export function filesPart(
  { entries, files, path, next }: Listing,
  hrefs: RepoHrefs,
  revision: string,
): Html {
  const rows = entries.map((entry, at) => row(entry, files[at], hrefs, revision))
  const more =
    next !== undefined &&
    html`<p><a href="${hrefs.tree(revision, path)}?after=${next}" rel="next">More files</a></p>\n`
  return html`<table class="files">
<thead><tr><th scope="col">Name</th><th scope="col" class="size">Size</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
${more}`
}

function row(
  { path, kind }: ListedEntry,
  file: DescribedFile | undefined,
  hrefs: RepoHrefs,
  revision: string,
): Html {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (kind === 'folder') {
    return cells(linked(`${name}/`, hrefs.tree(revision, path), path), 'folder')
  }
  if (kind !== 'file') return cells(html`${shownText(name)} ${tag(kind)}`, '')
  const large = file?.lfs && html` ${tag('large')}`
  return cells(
    html`${linked(name, hrefs.file(revision, path), path)}${large}`,
    shownSize(file?.size ?? 0),
  )
}

/** A name that is no UTF-8 is shown, and cannot be asked for. */
function linked(name: string, href: string, path: string): Html {
  const label = shownText(name)
  return path.includes('\ufffd') ? label : html`<a href="${href}">${label}</a>`
}

function tag(word: string): Html {
  return html`<span class="tag">${word}</span>`
}

function cells(name: Html, size: string): Html {
  return html`<tr><td>${name}</td><td class="size">${size}</td></tr>\n`
}
