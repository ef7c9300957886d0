/** The pages of docs/ and their addresses on the site. */

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages/packages.ts'

export const docsFolder: string = join(root, 'docs')

/** Paths from docs/, with slashes. */
export const pages: readonly string[] = globSync('**/*.md', { cwd: docsFolder })
  .map((page) => page.replaceAll('\\', '/'))
  .sort()

/** `guides/runbooks/README.md` is the page of its folder. */
export function addressOf(page: string): string {
  return `/${page.replace(/(?<=^|\/)(?:README|index)\.md$/, '').replace(/\.md$/, '.html')}`
}

/** The anchor that GitHub makes of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
