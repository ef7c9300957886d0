/** The way from the top of a repository to a file or folder, each step a link. */

import { type Html, html } from '@latchkey/service/http/html'
import type { RepoHrefs } from './hrefs.ts'
import { shownText } from './text.ts'

export function crumbs(hrefs: RepoHrefs, revision: string, path: string): Html {
  const parts = path.split('/')
  const steps = parts.map((part, at) => {
    if (at === parts.length - 1) return html` / <span aria-current="page">${shownText(part)}</span>`
    const folder = parts.slice(0, at + 1).join('/')
    return html` / <a href="${hrefs.tree(revision, folder)}">${shownText(part)}</a>`
  })
  const top = html`<a href="${hrefs.tree(revision)}">Files</a>`
  return html`<nav class="crumbs" aria-label="Path">${top}${steps}</nav>\n`
}
