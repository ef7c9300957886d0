/** The pages for contributors name files that exist, and all files that have a row for each operation. */

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())

/** Paths from the root of the repository, in a sentence or a table. */
function pathsIn(text: string): readonly string[] {
  const quoted = Array.from(text.matchAll(/`([\w-]+\/[\w/.-]*)`/g), ([, path = '']) => path)
  return quoted.filter((path) => folders.some(({ name }) => path.startsWith(`${name}/`)))
}

test.each(['CONTRIBUTING.md', 'docs/internals/testing.md'])(
  'every file that %s names is there',
  (page) => {
    const named = pathsIn(read(page)).filter((path) => !path.endsWith('/dist'))
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)

test('the recipe for an operation names every file that has a row for each of them', () => {
  const [, section = ''] = read('CONTRIBUTING.md').split('\n## Add an admin operation\n')
  const [recipe = ''] = section.split('\n## ')
  // `apply` and `revoke token` have commands of their own, which take a file and a secret.
  const special = ['apply', 'revoke token']
  const changing = verbs
    .filter(({ words, method }) => method !== 'GET' && !special.includes(words))
    .map(({ words }) => words)
  const files = globSync('{packages,scripts}/**/{src,test}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules'],
  })
  const complete = files.filter((file) => {
    const text = read(file)
    return changing.every((words) => text.includes(words))
  })
  expect(complete.length).toBeGreaterThan(4)
  expect(complete.filter((file) => !pathsIn(recipe).includes(file))).toEqual([])
})
