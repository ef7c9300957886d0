/** Where a link of a page leads on the site: a page, a file beside the pages, or the repository. */

import { statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../packages/packages.ts'
import { addressOf, docsFolder } from './pages.ts'

export type LinkTarget =
  /** An address of the site, or of another origin. */
  | { readonly kind: 'address'; readonly address: string }
  /** A file of the repository that the site does not have. */
  | { readonly kind: 'file'; readonly path: string }

/** The page is a path from docs/; without the repository's URL, files outside of docs/ have no address. */
export function targetOf(page: string, link: string, repositoryUrl: string): LinkTarget {
  if (/^(?:[a-z]+:|#)/.test(link)) return { kind: 'address', address: link }
  const [file = '', heading] = link.split('#')
  const anchor = heading === undefined ? '' : `#${heading}`
  const absolute = join(docsFolder, dirname(page), file)
  const path = relative(root, absolute)
  if (path.startsWith('docs/')) {
    const address = addressOf(path.slice('docs/'.length))
    return { kind: 'address', address: `${address}${anchor}` }
  }
  if (repositoryUrl === '') return { kind: 'file', path }
  const kind = statSync(absolute).isDirectory() ? 'tree' : 'blob'
  return { kind: 'address', address: `${repositoryUrl}/${kind}/main/${path}${anchor}` }
}
