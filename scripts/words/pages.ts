import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** Every page that people read, but for the changelog. */
export const pages: readonly string[] = globSync(
  [
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'vectors/README.md'],
    ...['{clients,packages}/*/README.md', '{examples,outside}/**/README.md'],
  ],
  { cwd: root, exclude: ['**/node_modules/**'] },
).toSorted()

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}
