/** The routes of the forge. Where several patterns match, the one that stands first counts. */

import { type Refusal, refuse } from '@latchkey/protocol'
import {
  type AddressAt,
  type AddressRow,
  type ReadSegments,
  rowsAt,
  withoutNamespace,
} from '../addresses/find-route.ts'
import { unservedOfRepo, unservedPaths, unservedViews } from '../addresses/unserved.ts'
import { namespaceRepos, ownRepos } from '../api/account.ts'
import { commit } from '../api/commit.ts'
import { commits } from '../api/commits.ts'
import { createBranch } from '../api/create-branch.ts'
import { createTag } from '../api/create-tag.ts'
import { createDiscussion, showDiscussion } from '../api/discussions.ts'
import { advertiseRefs, uploadPack } from '../api/git-fetch.ts'
import { advertisePush, receivePack } from '../api/git-push.ts'
import { lfsObject } from '../api/large-file.ts'
import { notYet } from '../api/later.ts'
import { lfsBatch } from '../api/lfs-batch.ts'
import { lfsUpload, lfsVerify } from '../api/lfs-upload.ts'
import { listRepos } from '../api/list-repos.ts'
import { createRepo, deleteRepo } from '../api/manage-repos.ts'
import { pathsInfo } from '../api/paths-info.ts'
import { preupload } from '../api/preupload.ts'
import { deleteBranch, deleteTag, refs } from '../api/refs.ts'
import { authCheck, repoInfo } from '../api/repo-info.ts'
import { raw, resolve } from '../api/resolve.ts'
import { tree } from '../api/tree.ts'
import { validateYaml } from '../api/validate-yaml.ts'
import type { ForgeHandler } from '../handler/exchange.ts'
import { pageRoutes } from '../pages/page-routes.ts'
import { readQuery } from '../words/query.ts'

export type ForgeRoute = AddressRow & {
  /** The kind of request in the metrics. */
  readonly name: string
  /** Git sends its credential in another form, and shows its user text. */
  readonly isGit?: boolean
} & (
    | { readonly handle: ForgeHandler<never> }
    /** For what is not served: nothing of the request is read. */
    | { readonly refuse: (address: never) => Refusal }
  )

type Method = AddressRow['method']
type Rows = readonly ForgeRoute[]

function route<Pattern extends string>(
  method: Method,
  pattern: Pattern,
  name: string,
  handle: ForgeHandler<AddressAt<Pattern>>,
): Rows {
  return rowsAt(method, pattern, { name, handle })
}

function later(method: Method, pattern: string, what: string): Rows {
  return rowsAt(method, pattern, { name: 'later', refuse: () => notYet(what) })
}

function bare(pattern: string): Rows {
  return rowsAt('ANY', pattern, { name: 'refused', refuse: withoutNamespace })
}

const discussionLists = 'lists of pull requests and discussions'
const discussionChanges = 'comments, merges and other changes of a pull request'

// biome-ignore format: a table is read by its columns
const ofRepo: Rows = [
  ...route('GET',    '/api/{repo}',                            'repo-info',         repoInfo),
  ...route('GET',    '/api/{repo}/revision/{revision...}',     'repo-info',         repoInfo),
  ...route('GET',    '/api/{repo}/tree/{at...}',               'tree',              tree),
  ...route('POST',   '/api/{repo}/paths-info/{revision...}',   'paths-info',        pathsInfo),
  ...route('GET',    '/api/{repo}/refs',                       'refs',              refs),
  ...route('GET',    '/api/{repo}/commits/{revision...}',      'commits',           commits),
  ...route('POST',   '/api/{repo}/preupload/{revision...}',    'preupload',         preupload),
  ...route('POST',   '/api/{repo}/commit/{revision...}',       'commit',            commit),
  ...route('POST',   '/api/{repo}/branch/{branch...}',         'create-branch',     createBranch),
  ...route('DELETE', '/api/{repo}/branch/{branch...}',         'delete-branch',     deleteBranch),
  ...route('POST',   '/api/{repo}/tag/{revision...}',          'create-tag',        createTag),
  ...route('DELETE', '/api/{repo}/tag/{tag...}',               'delete-tag',        deleteTag),
  ...later('GET',    '/api/{repo}/discussions',                discussionLists),
  ...route('POST',   '/api/{repo}/discussions',                'create-discussion', createDiscussion),
  ...route('GET',    '/api/{repo}/discussions/{number}',       'discussion',        showDiscussion),
  ...later('POST',   '/api/{repo}/discussions/{number}',       discussionChanges),
  ...later('GET',    '/api/{repo}/discussions/{rest...}',      discussionLists),
  ...later('POST',   '/api/{repo}/discussions/{rest...}',      discussionChanges),
  ...route('GET',    '/api/{repo}/auth-check',                 'auth-check',        authCheck('read')),
  ...route('GET',    '/api/{repo}/auth-check/write',           'auth-check',        authCheck('write')),
]

const locks = 'locking of files'

function serviceIn(target: string): string | undefined {
  const services = readQuery(target)?.get('service') ?? []
  return services.length === 1 ? services[0] : undefined
}

const isFetch = (target: string) => serviceIn(target) === 'git-upload-pack'
const isPush = (target: string) => serviceIn(target) === 'git-receive-pack'
const noService = () =>
  refuse('bad_request', 'Name one service of git: git-upload-pack or git-receive-pack.')

// biome-ignore format: a table is read by its columns
const ofGit: Rows = [
  ...route('GET',  '/{repo}.git/info/refs',              'git-advertise-refs', advertiseRefs).map((row) => ({ ...row, when: isFetch })),
  ...route('GET',  '/{repo}.git/info/refs',              'git-advertise-push', advertisePush).map((row) => ({ ...row, when: isPush })),
  ...rowsAt('GET', '/{repo}.git/info/refs',              { name: 'refused', refuse: noService }),
  ...route('POST', '/{repo}.git/git-upload-pack',        'git-upload-pack',    uploadPack),
  ...route('POST', '/{repo}.git/git-receive-pack',       'git-receive-pack',   receivePack),
  ...route('POST', '/{repo}.git/info/lfs/objects/batch', 'git-lfs-batch',      lfsBatch),
  ...route('GET',  '/{repo}.git/info/lfs/objects/{oid}', 'git-lfs-object',     lfsObject),
  ...route('PUT',  '/{repo}.git/info/lfs/objects/{oid}', 'git-lfs-upload',     lfsUpload),
  ...route('POST', '/{repo}.git/info/lfs/objects/{oid}/verify', 'git-lfs-verify', lfsVerify),
  ...later('GET',  '/{repo}.git/info/lfs/locks',         locks),
  ...later('POST', '/{repo}.git/info/lfs/locks',         locks),
  ...later('POST', '/{repo}.git/info/lfs/locks/verify',  locks),
  ...later('POST', '/{repo}.git/info/lfs/locks/{lock}/unlock', locks),
]

const ofPages: Rows = [
  ...pageRoutes,
  ...route('GET', '/{repo}/resolve/{file...}', 'resolve', resolve),
  ...route('GET', '/{repo}/raw/{file...}', 'raw', raw),
  ...route('GET', '/{repo}/commits/{at...}', 'commits', async () => notYet('pages of a history')),
]

/** The same routes behind a name without a namespace. */
function bareNames(rows: Rows): Rows {
  const patterns = rows.map(({ pattern }) => pattern.replace('{repo}.git', '{bare}'))
  return [...new Set(patterns)].flatMap(bare)
}

/** The words that stand behind a repository. */
function wordsOf(rows: Rows): ReadonlySet<string> {
  const words = rows.flatMap(({ pattern }) => /\{repo\}\/([^/]+)/.exec(pattern)?.[1] ?? [])
  return new Set(words)
}

const [apiWords, pageWords] = [wordsOf(ofRepo), wordsOf(ofPages)]

/** A repository may be called `tree`: then another of the words stands behind it. */
export const readWords: ReadSegments = {
  notApi: (raw) => (apiWords.has(raw) ? undefined : {}),
  notPage: (raw) => (pageWords.has(raw) ? undefined : {}),
}

// biome-ignore format: a table is read by its columns
export const forgeRoutes: Rows = [
  ...route('POST',   '/api/validate-yaml',         'validate-yaml', validateYaml),
  ...route('GET',    '/api/settings/repositories', 'own-repos',     ownRepos),
  ...route('POST',   '/api/repos/create',          'create-repo',   createRepo),
  ...route('DELETE', '/api/repos/delete',          'delete-repo',   deleteRepo),
  ...unservedPaths.flatMap(([path, what]) => later('ANY', path, what)),
  ...route('GET', '/api/organizations/{organization}/settings/repositories', 'namespace-repos', namespaceRepos),
  ...route('GET', '/api/{type}', 'list-repos', listRepos),
  ...bare('/api/{bare}'),
  ...Object.entries(unservedOfRepo).flatMap(([word, what]) => later('ANY', `/api/{other}/${word}/{rest...}`, what)),
  ...ofRepo,
  ...[...apiWords].flatMap((word) => bare(`/api/{bare}/${word}/{notApi}/{rest...}`)),
  ...[...ofGit, ...bareNames(ofGit)].map((row) => ({ ...row, isGit: true })),
  ...Object.entries(unservedViews).flatMap(([word, what]) => later('ANY', `/{other}/${word}/{rest...}`, what)),
  ...ofPages,
  ...bare('/datasets/{bare}'),
  ...bare('/spaces/{bare}'),
  ...[...pageWords].flatMap((word) => bare(`/{bare}/${word}/{notPage}/{rest...}`)),
]
