/** How a verb of the directory behaves over HTTP. */

import type { Verb } from '../directory/verb.ts'

/** What a verb changes is told in a body; what it looks up or removes, in the path and the query. */
export function hasBody({ method }: Pick<Verb, 'method'>): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

export function statusWhenDone({ words }: Pick<Verb, 'words'>): 200 | 201 {
  return words.endsWith(' create') ? 201 : 200
}

/** The input members that a path holds. */
export function memberNames({ path }: Pick<Verb, 'path'>): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, member = '']) => member)
}
