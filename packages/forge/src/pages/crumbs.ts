/** The way from the top of a repository to a file or folder, each step a link. */

import { escapeHtml } from '@latchkey/service/http/page/html-document'
import type { RepoHrefs } from './hrefs.ts'
import { shownText } from './text.ts'

export function crumbs(hrefs: RepoHrefs, revision: string, path: string): string {
  const parts = path.split('/')
  const steps = parts.map((part, at) => {
    if (at === parts.length - 1) return `<span aria-current="page">${shownText(part)}</span>`
    return link(hrefs.tree(revision, parts.slice(0, at + 1).join('/')), shownText(part))
  })
  const all = [link(hrefs.tree(revision), 'Files'), ...steps].join(' / ')
  return `<nav class="crumbs" aria-label="Path">${all}</nav>\n`
}

function link(href: string, html: string): string {
  return `<a href="${escapeHtml(href)}">${html}</a>`
}
