/** What the storage serves, as rows; the other names for the same are those of older clients and of the specification. */

import { type NormalPath, type Refusal, refuse } from '@latchkey/protocol'
import { type Hash, parseHash } from '@latchkey/xet/format'
import type { Handle } from '../request/asked.ts'

export interface Row {
  readonly methods: readonly string[]
  /** `{hash}` is the only thing that may vary. */
  readonly paths: readonly string[]
  readonly handle: Handle
}

export interface Matched {
  readonly handle: Handle
  readonly hash: Hash
  /** The path of the row, for the log and the metrics. */
  readonly route: string
}

export type Route = (method: string, path: NormalPath) => Matched | Refusal

const anyHash = /(?<=\/)[^/]{64}(?=\/|$)/

export function router(rows: readonly Row[]): Route {
  const byPath = new Map<string, Row[]>()
  for (const row of rows) {
    for (const path of row.paths) byPath.set(path, [...(byPath.get(path) ?? []), row])
  }
  return (method, path) => {
    const [word = ''] = anyHash.exec(path) ?? []
    const route = word === '' ? path : path.replace(word, '{hash}')
    const here = byPath.get(route)
    if (here === undefined) return noRoute
    const row = here.find(({ methods }) => methods.includes(method))
    if (row === undefined) return wrongMethod(here)
    const hash = word === '' ? ('' as Hash) : parseHash(word)
    return hash === undefined ? badHash : { handle: row.handle, hash, route }
  }
}

const noRoute = refuse(
  'not_found',
  'The storage serves nothing at this path. It serves xorbs, shards, reconstructions, chunks and files, each by its hash of 64 digits.',
)

const badHash = refuse(
  'bad_request',
  'The hash in the path must be 64 lower-case hexadecimal digits.',
)

function wrongMethod(rows: readonly Row[]): Refusal {
  const allow = rows.flatMap(({ methods }) => methods).join(', ')
  return refuse('method_not_allowed', `This path takes ${allow}.`, { allow })
}
