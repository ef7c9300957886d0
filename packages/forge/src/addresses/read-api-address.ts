/** The addresses below `/api` that clients of a hub ask for. */

import {
  branchName,
  decodeOnce,
  isName,
  isRefusal,
  parseTokenPath,
  type RefName,
  type Refusal,
  type RepoType,
  type Revision,
  type Scope,
  tagName,
} from '@latchkey/protocol'
import { type ByMethod, byMethod, type Later } from './by-method.ts'
import { type NamedRepo, namedRepo, typeOf, withoutNamespace } from './named-repo.ts'
import { type RevisionAndPath, readRevision, readRevisionAndPath } from './revision-and-path.ts'
import { decodeRest, segmentsOf } from './segments.ts'
import { findUnserved, unservedAt, unservedOfRepo } from './unserved.ts'

type PlainRoute = 'whoami' | 'create-repo' | 'delete-repo' | 'validate-yaml' | 'own-repos'

type RepoRoute =
  | { readonly route: 'refs' }
  | { readonly route: 'repo-info'; readonly revision: Revision | undefined }
  | ({ readonly route: 'tree' } & RevisionAndPath)
  | { readonly route: RevisionRoute; readonly revision: Revision }
  /** Undefined when no branch or tag can be called so. */
  | { readonly route: 'create-branch' | 'delete-branch'; readonly branch: RefName | undefined }
  | { readonly route: 'delete-tag'; readonly tag: RefName | undefined }
  | { readonly route: 'create-discussion' }
  | { readonly route: 'auth-check'; readonly scope: Scope }
  | { readonly route: 'discussion'; readonly number: number }

type RevisionRoute = 'paths-info' | 'commits' | 'preupload' | 'commit' | 'create-tag'

export type ApiAddress =
  | { readonly route: PlainRoute }
  | { readonly route: 'list-repos'; readonly type: RepoType }
  | { readonly route: 'namespace-repos'; readonly namespace: string | undefined }
  | (NamedRepo & RepoRoute)

type Answer<Address> = Address | Later | Refusal | undefined

/** Reads the segments behind the word of a route. */
type ReadRest = (rest: readonly string[]) => Answer<RepoRoute>

// biome-ignore format: a table is read by its columns
export const plainRows: Readonly<Record<string, ByMethod<ApiAddress>>> = {
  'whoami-v2':             { GET:    { route: 'whoami' } },
  'validate-yaml':         { POST:   { route: 'validate-yaml' } },
  'settings/repositories': { GET:    { route: 'own-repos' } },
  'repos/create':          { POST:   { route: 'create-repo' } },
  'repos/delete':          { DELETE: { route: 'delete-repo' } },
}

const lists: Later = { later: 'lists of pull requests and discussions' }
const changes: Later = { later: 'comments, merges and other changes of a pull request' }

/** By the word behind the repository. */
// biome-ignore format: a table is read by its columns
export const repoRows: Readonly<Record<string, ByMethod<ReadRest>>> = {
  'revision':     { GET: (rest) => withRevision(rest, (revision) => ({ route: 'repo-info', revision })) },
  'tree':         { GET: readTree },
  'paths-info':   { POST: onRevision('paths-info') },
  'refs':         { GET: atEnd({ route: 'refs' }) },
  'commits':      { GET: onRevision('commits') },
  'preupload':    { POST: onRevision('preupload') },
  'commit':       { POST: onRevision('commit') },
  'branch':       { POST: onBranch('create-branch'), DELETE: onBranch('delete-branch') },
  'tag':          { POST: onRevision('create-tag'), DELETE: readTag },
  'discussions':  { GET: readDiscussion, POST: (rest) => rest.length === 0 ? { route: 'create-discussion' } : changes },
  'auth-check':   { GET: readAuthCheck },
}

/** Undefined when it is no address of this table: the hub may serve it, or nobody does. */
export function readApiAddress(method: string, target: string): Answer<ApiAddress> {
  const [api, ...words] = segmentsOf(target) ?? []
  if (api !== 'api') return undefined
  const plain = words.join('/')
  if (Object.hasOwn(plainRows, plain)) return byMethod(method, plainRows[plain] ?? {})
  const unserved = findUnserved([api, ...words])
  if (unserved !== undefined) return unserved
  if (words[0] === 'organizations') return readNamespace(method, words)
  const type = typeOf(words[0])
  if (type === undefined) return undefined
  if (words.length === 1) return byMethod(method, { GET: { route: 'list-repos', type } })
  // A repository may be called `tree`. Its tokens are the hub's business.
  if (parseTokenPath(target) !== undefined) return undefined
  return readOfRepo(method, type, words.slice(1))
}

function readOfRepo(
  method: string,
  type: RepoType,
  [namespace = '', name, word, ...rest]: readonly string[],
): Answer<ApiAddress> {
  if (name === undefined) return withoutNamespace(namespace)
  const unserved = unservedAt(unservedOfRepo, word)
  if (unserved !== undefined) return unserved
  const isKnown = word !== undefined && Object.hasOwn(repoRows, word)
  if (word !== undefined && !isKnown) {
    return Object.hasOwn(repoRows, name) ? withoutNamespace(namespace) : undefined
  }
  const named = namedRepo(type, namespace, name)
  if (named === undefined) return undefined
  const read = byMethod(method, word === undefined ? infoRow : (repoRows[word] ?? {}))
  const found = isRefusal(read) ? read : read(rest)
  return found === undefined || isRefusal(found) || 'later' in found
    ? found
    : { ...named, ...found }
}

export const infoRow: ByMethod<ReadRest> = {
  GET: atEnd({ route: 'repo-info', revision: undefined }),
}

/** `/api/organizations/{namespace}/settings/repositories` */
function readNamespace(method: string, words: readonly string[]): Answer<ApiAddress> {
  const [, segment = '', ...rest] = words
  const name = decodeOnce(segment)
  if (rest.join('/') !== 'settings/repositories' || name === undefined) return undefined
  const namespace = isName(name) ? name : undefined
  return byMethod(method, { GET: { route: 'namespace-repos', namespace } })
}

function atEnd(route: RepoRoute): ReadRest {
  return (rest) => (rest.length === 0 ? route : undefined)
}

function onRevision(route: RevisionRoute): ReadRest {
  return (rest) => withRevision(rest, (revision) => ({ route, revision }))
}

function withRevision(
  rest: readonly string[],
  make: (revision: Revision) => RepoRoute,
): RepoRoute | undefined {
  const revision = readRevision(rest)
  return revision === undefined ? undefined : make(revision)
}

function readTree(rest: readonly string[]): Answer<RepoRoute> {
  const read = readRevisionAndPath(rest)
  return read === undefined || isRefusal(read) ? read : { route: 'tree', ...read }
}

function readDiscussion(rest: readonly string[]): Answer<RepoRoute> {
  const [number = ''] = rest
  const isOne = rest.length === 1 && /^[1-9]\d{0,9}$/.test(number)
  return isOne ? { route: 'discussion', number: Number(number) } : lists
}

/** `…/auth-check` for reading, `…/auth-check/write` for writing. */
function readAuthCheck(rest: readonly string[]): RepoRoute | undefined {
  const [word = 'read', ...more] = rest
  const scope = (['read', 'write'] as const).find((one) => one === word)
  const isWhole = more.length === 0 && rest[0] !== 'read'
  return scope !== undefined && isWhole ? { route: 'auth-check', scope } : undefined
}

function onBranch(route: 'create-branch' | 'delete-branch'): ReadRest {
  return (rest) => {
    const text = decodeRest(rest)
    return text === undefined ? undefined : { route, branch: branchName(text) }
  }
}

function readTag(rest: readonly string[]): Answer<RepoRoute> {
  const text = decodeRest(rest)
  return text === undefined ? undefined : { route: 'delete-tag', tag: tagName(text) }
}
