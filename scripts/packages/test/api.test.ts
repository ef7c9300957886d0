/** What the packages declare is written down, so that a change of it is seen in review. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reportFile, reportOf } from '../api-report.ts'
import { libraries, root } from '../packages.ts'

test.each(libraries)('api/%s.d.ts is what the package declares; npm run api writes it', (name) => {
  const written = existsSync(reportFile(name)) ? readFileSync(reportFile(name), 'utf8') : ''
  expect(reportOf(name)).toBe(written)
})

test('every page belongs to a package', () => {
  const pages = globSync('api/*', { cwd: root })
  expect(pages.sort()).toEqual(libraries.map((name) => `api/${name}.d.ts`).sort())
})
