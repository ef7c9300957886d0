/** The routes of pages to which the login leads back. */

import { type AddressAt, type AddressRow, rowsAt } from '../addresses/find-route.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { asPage, type ShownPage } from './as-page.ts'
import { commitPage } from './commit-page.ts'
import { repoPage } from './repo-page.ts'

export interface PageRoute extends AddressRow {
  readonly name: string
  readonly handle: ForgeHandler<never>
  readonly hrefOf: ShownPage<never>['hrefOf']
}

function page<Pattern extends string>(
  pattern: Pattern,
  name: string,
  pageDefinition: ShownPage<AddressAt<Pattern>>,
): readonly PageRoute[] {
  return rowsAt('GET', pattern, {
    name,
    handle: asPage(pageDefinition),
    hrefOf: pageDefinition.hrefOf,
  })
}

export const pageRoutes: readonly PageRoute[] = [
  ...page('/{repo}', 'repo', repoPage('folder')),
  ...page('/{repo}/tree/{at...}', 'tree', repoPage('folder')),
  ...page('/{repo}/blob/{file...}', 'blob', repoPage('file')),
  ...page('/{repo}/commit/{revision...}', 'commit', commitPage),
]
