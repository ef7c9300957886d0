/** The address of a verb at a remote hub: what the path names, and what is left for query or body. */

import type { Verb } from '@latchkey/hub'
import type { Input } from './management.ts'

export interface AdminAddress {
  readonly path: string
  /** The input members that the path does not name. */
  readonly rest: Input
}

/** `{repository}` stands for three segments; every other placeholder for one. */
export function adminAddress({ path }: Pick<Verb, 'path'>, input: Input): AdminAddress {
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, member: string) => {
    const value = String(rest[member])
    delete rest[member]
    return member === 'repository'
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value)
  })
  return { path: `/admin/v1${filled}`, rest }
}

/** The rest as a query, for methods that carry no body. */
export function queryOf(rest: Input): string {
  const query = new URLSearchParams()
  for (const [member, value] of Object.entries(rest)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(member, String(one))
  }
  return query.size === 0 ? '' : `?${query}`
}
