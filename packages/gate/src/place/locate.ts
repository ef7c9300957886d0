/**
 * Finds the repository and ref of a storage request: by the prefix that `casUrl` gives it, or by a
 * rule of the storage.
 */

import {
  asRefUid,
  asRepositoryUid,
  type NormalPath,
  parseStoragePath,
  type RefUid,
  type RepositoryUid,
  refUidIn,
  type SlashForm,
  storageAddress,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { ReadRequest } from '../request/read-request.ts'

/** Repository and ref that a request names, as the rule reads them, and the rest of its path if a prefix named them. */
export interface Location {
  readonly repositoryUid: string
  readonly refUid: string
  readonly path?: string
}

/** Undefined when the request names no repository and ref: it is then not served. */
export type Locator = (request: ReadRequest) => Location | undefined

/** `upstream`: the storage tells repositories apart by the identity headers. `none`: there is one tenant. */
export type Isolation = 'upstream' | 'none'

/** Where a request leads. Without uids nothing is compared, because the operator said who isolates. */
export interface StoragePlace {
  readonly path: NormalPath
  /** The part of the request's path before that path. */
  readonly prefix: string
  /** Every path by which the storage may route the request: the scope is what the strictest of them wants. */
  readonly checkedPaths: readonly NormalPath[]
  readonly repositoryUid: RepositoryUid | undefined
  readonly refUid: RefUid | undefined
}

export type PlaceResolver = (request: ReadRequest) => StoragePlace | undefined

export function placeByLocate(
  locate: Locator,
  allowPaths: readonly SlashForm[] = [],
): PlaceResolver {
  return (request) => {
    const located = locate(request)
    if (located === undefined) return undefined
    const path =
      located.path === undefined ? request.path : parseStoragePath(located.path, allowPaths)
    const { repositoryUid, refUid } = located
    // A rule that leaves one out, or answers later, must not open everything.
    const namesBoth = typeof repositoryUid === 'string' && typeof refUid === 'string'
    if (path === undefined || !namesBoth) return undefined
    const checkedPaths = located.path === undefined ? [path] : [path, wholePath(request, located)]
    const uids = { repositoryUid: asRepositoryUid(repositoryUid), refUid: asRefUid(refUid) }
    return { path, prefix: '', checkedPaths, ...uids }
  }
}

/**
 * A framework routes by the whole path, whatever path `locate` gives, so the whole path is judged too.
 * Only the uids themselves do not count: they are random, and the token decides which ones may stand there.
 */
function wholePath({ path }: ReadRequest, { repositoryUid, refUid }: Location): NormalPath {
  const isUid = (segment: string) => segment === repositoryUid || refUidIn(segment) === refUid
  const segments = path.split('/').map((segment) => (isUid(segment) ? '-' : segment))
  return segments.join('/') as NormalPath
}

/** Reads the path of `casUrl` off a request: its fixed segments must be there, its placeholders are the uids. */
export function placeByPrefix(casUrl: string, isolation: Isolation | undefined): PlaceResolver {
  const prefix = prefixPattern(casUrl)
  const [first] = /\{\w+\}/.exec(casUrl) ?? []
  const [repository, ref] = first === '{ref}' ? [2, 1] : [1, 2]
  const namesBoth = casUrl.includes('{repo}') && casUrl.includes('{ref}')
  const isStated = isolation === 'upstream' || isolation === 'none'
  if (!isStated && !namesBoth) throw noIsolation()
  return ({ path }) => {
    const found = prefix.exec(path)
    // A storage that reads an encoded slash as a slash would find another repository and ref there.
    if (found === null || /%2f/i.test(found[0])) return undefined
    const rest = (path.slice(found[0].length) || '/') as NormalPath
    // The hub gives a ref another address when content was removed; requests at earlier addresses go on.
    const refUid = found[ref] === undefined ? undefined : refUidIn(found[ref])
    const repositoryUid =
      found[repository] === undefined ? undefined : asRepositoryUid(found[repository])
    return { path: rest, prefix: found[0], checkedPaths: [rest], repositoryUid, refUid }
  }
}

/** The path of `casUrl` up to the end of a segment. */
function prefixPattern(casUrl: string): RegExp {
  const { origin } = new URL(storageAddress(casUrl).audience)
  const segments = casUrl.slice(origin.length).split('/').slice(1)
  return new RegExp(`^${segments.map((part) => `/${segmentPattern(part)}`).join('')}(?=/|$)`)
}

function segmentPattern(part: string): string {
  if (part === '{repo}' || part === '{ref}') return '([^/]+)'
  if (!/[{}]/.test(part)) return part.replaceAll(/[$()*+.?[\\\]^|]/g, '\\$&')
  throw new CannotStart(
    `casUrl: {repo} and {ref} must each be a whole segment, as in https://cas.example/r/{repo}/{ref}`,
  )
}

/** A gate that cannot tell repositories apart guards nothing unless somebody else does. */
function noIsolation(): CannotStart {
  return new CannotStart(
    'nothing tells repositories and refs apart: put {repo} and {ref} into casUrl, give a locate function, or say that the storage does it (isolation "upstream") or that there is one tenant (isolation "none")',
  )
}
