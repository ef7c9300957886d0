/** A repository as people write it: `models/acme/bert`. */

import { isTokenAsName } from './token-shape.ts'

export const repoTypes = ['model', 'dataset', 'space'] as const

export type RepoType = (typeof repoTypes)[number]

export interface RepoRef {
  readonly type: RepoType
  readonly namespace: string
  readonly name: string
}

/** The words of namespaces, repositories and accounts. */
export function isName(text: string): boolean {
  if (!/^[A-Za-z0-9._-]{1,96}$/.test(text) || /^[.-]|[.-]$|\.git$/i.test(text)) return false
  return !isTokenAsName(text)
}

export function repoRef(type: RepoType, namespace: string, name: string): RepoRef | undefined {
  return isName(namespace) && isName(name) ? { type, namespace, name } : undefined
}

/** Reads `models/acme/bert`. */
export function parseRepoRef(text: string): RepoRef | undefined {
  const [, type, namespace, name] = /^(model|dataset|space)s\/([^/]+)\/([^/]+)$/.exec(text) ?? []
  if (type === undefined || namespace === undefined || name === undefined) return undefined
  return repoRef(type as RepoType, namespace, name)
}

export function formatRepoRef({ type, namespace, name }: RepoRef): string {
  return `${type}s/${namespace}/${name}`
}

/** The `namespace/name` that the protocol calls the repository id. */
export function repoId({ namespace, name }: RepoRef): string {
  return `${namespace}/${name}`
}
