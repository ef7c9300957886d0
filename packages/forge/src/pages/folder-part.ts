import { type Html, html } from '@latchkey/service/http/html'
import type { TreePath } from '../git/index.ts'
import type { ForgeDeps } from '../handler/exchange.ts'
import { describeFiles } from '../large-files/describe-files.ts'
import { findEntry } from '../large-files/find-entry.ts'
import type { FilledRevision } from '../large-files/open-revision.ts'
import { crumbs } from './crumbs.ts'
import { filesPart } from './files-part.ts'
import { encodePath, type RepoHrefs } from './hrefs.ts'

export interface FolderAsked {
  readonly payer: string
  readonly hrefs: RepoHrefs
  /** As addresses write it. */
  readonly revision: string
  /** Undefined for the top. */
  readonly path: TreePath | undefined
  readonly after: string | undefined
}

const maxListed = 500
/** The page of the file itself shows larger ones. */
const maxReadmeBytes = 512 * 1024
const readmeNames = ['README.md', 'readme.md', 'Readme.md']

/** Undefined if there is no such folder. */
export async function folderPart(
  { repository, tree }: FilledRevision,
  { hrefs, revision, path, after, payer }: FolderAsked,
  parts: Pick<ForgeDeps, 'showReadme'>,
): Promise<Html | undefined> {
  const page = await repository.listTree(tree, { path, after, limit: maxListed })
  if (page === undefined) return undefined
  const { entries, next } = page
  const files = await describeFiles(repository, entries)
  const listed = filesPart({ entries, files, path, next }, hrefs, revision)
  const readme = await readmeIn({ repository, tree }, { hrefs, revision, path, payer }, parts)
  const way = path !== undefined && crumbs(hrefs, revision, path)
  return html`<h2>Files</h2>\n${way}${listed}${readme}`
}

async function readmeIn(
  { repository, tree }: Pick<FilledRevision, 'repository' | 'tree'>,
  { hrefs, revision, path, payer }: Omit<FolderAsked, 'after'>,
  { showReadme }: Pick<ForgeDeps, 'showReadme'>,
): Promise<Html | undefined> {
  const folder = path === undefined ? '' : `${path}/`
  for (const name of readmeNames) {
    const found = await findEntry(repository, tree, `${folder}${name}`)
    if (found?.kind !== 'file' || found.size > maxReadmeBytes) continue
    const text = (await repository.readObject(found.hash, maxReadmeBytes))?.bytes.toString('utf8')
    const place = { files: filesHref(hrefs, revision), folder: encodePath(folder) }
    const readme = await showReadme({ text: text ?? '', hash: found.hash, place, payer })
    return html`<section aria-label="README"><h2>${name}</h2>\n<div class="readme">${readme}</div></section>\n`
  }
  return undefined
}

/** The address that a path of the repository is appended to. */
export function filesHref(hrefs: RepoHrefs, revision: string): string {
  return hrefs.file(revision, 'x').replace(/\/x$/, '')
}
