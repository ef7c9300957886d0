import type { Verb } from './verbs.ts'

export const adminPrefix = '/admin/v1'

const placeholder = /\{(\w+)\}/g

/**
 * An operation that changes something has a body; one that looks up or removes has its input in the
 * path and the query.
 */
export function hasBody({ method }: Pick<Verb, 'method'>): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

export function statusWhenDone({ words }: Pick<Verb, 'words'>): 200 | 201 {
  return words.endsWith(' create') ? 201 : 200
}

/** The input members that a path holds. */
export function memberNames({ path }: Pick<Verb, 'path'>): string[] {
  return Array.from(path.matchAll(placeholder), ([, member = '']) => member)
}

/** The segments of a path that a member is: a repository is three, everything else is one. */
export function segmentsOf(member: string): readonly string[] {
  return member === 'repository' ? ['repositoryType', 'namespace', 'name'] : [member]
}

/** A verb's path with a placeholder for each of its segments. */
export function pathTemplate({ path }: Pick<Verb, 'path'>): string {
  const segments = (member: string) => segmentsOf(member).map((segment) => `{${segment}}`)
  const filled = path.replace(placeholder, (_, member: string) => segments(member).join('/'))
  return adminPrefix + filled
}

/** The name of a verb in OpenAPI and in the admin client: `hubTokenCreate`. */
export function operationId({ words }: Pick<Verb, 'words'>): string {
  return words.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase())
}
