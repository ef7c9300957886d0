/** Every method and path that the storage serves, read off its own table. */

import { type StorageParts, storageRows } from '../../src/http/storage-rows.ts'

export interface ServedRoute {
  readonly method: string
  /** With a hash in it where the table has one. */
  readonly path: string
  /** As the table has it. */
  readonly name: string
  readonly wants: 'read' | 'write'
}

/** What a path needs behind it. */
const queries: Readonly<Record<string, string>> = { '/v1/files/by-sha256/{hash}': '?size=1' }

export const someHash = '0123456789abcdef'.repeat(4)

// Nobody calls what the rows lead to.
const rows = storageRows({} as StorageParts)

export const everyRoute: readonly ServedRoute[] = rows.flatMap(({ method, path: name }) =>
  methodsIn(method, name).map((method) => ({
    method,
    path: name.replace('{hash}', someHash) + (queries[name] ?? ''),
    name: `${method} ${name}`,
    wants: /xorb|shard/.test(name) && !['GET', 'HEAD'].includes(method) ? 'write' : 'read',
  })),
)

/** GET serves HEAD too, where HEAD has no row of its own. */
function methodsIn(method: string, path: string): readonly string[] {
  const hasHead = rows.some((row) => row.path === path && row.method === 'HEAD')
  return method === 'GET' && !hasHead ? ['GET', 'HEAD'] : [method]
}

/** The methods that a path takes. */
export function methodsOf(path: string): readonly string[] {
  return everyRoute.filter((route) => route.path === path).map(({ method }) => method)
}
