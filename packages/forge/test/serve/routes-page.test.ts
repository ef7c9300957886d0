import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { forgeRoutes } from '../../src/serve/routes.ts'

const page = readFileSync(
  new URL('../../../../docs/reference/forge-routes.md', import.meta.url),
  'utf8',
)

test('the page of the forge lists every route that is served, and no other', () => {
  const served = forgeRoutes
    .filter((row) => 'handle' in row && row.name !== 'later')
    .map(({ method, pattern }) => `${method} ${pattern.replace('...', '')}`)
    .filter((route) => route !== notServed)
  const rows = page.matchAll(/^\| `((?:GET|POST|PUT|DELETE) \/[^`]*)` \|/gm)
  const listed = Array.from(rows, ([, route = '']) => route)
  expect(listed.toSorted()).toEqual([...new Set(served)].toSorted())
})

/** Has a handler, which gives 501. */
const notServed = 'GET /{repo}/commits/{at}'
