/** Addresses that clients know from other hubs and that this one does not serve. */

import type { Later } from './by-method.ts'

type Row = readonly [pattern: string, later: string]

/** `*` is one segment, `**` at the end is any number of them, none included. The first row that matches counts. */
// biome-ignore format: a table is read by its columns
export const unservedRows: readonly Row[] = [
  ['api/repos/move',                     'moving a repository'],
  ['api/collections/**',                 'collections'],
  ['api/jobs/**',                        'jobs'],
  ['api/scheduled-jobs/**',              'scheduled jobs'],
  ['api/buckets/**',                     'buckets'],
  ['api/kernels/**',                     'kernels'],
  ['api/papers/**',                      'papers'],
  ['api/daily_papers/**',                'papers'],
  ['api/posts/**',                       'posts'],
  ['api/settings/webhooks/**',           'webhooks'],
  ['api/settings/notifications/**',      'notifications'],
  ['api/settings/billing/**',            'billing'],
  ['api/notifications/**',               'notifications'],
  ['api/discussions/**',                 'lists of discussions'],
  ['api/users/*/likes',                  'likes'],
  ['api/users/*/followers',              'following an account'],
  ['api/users/*/following',              'following an account'],
  ['api/users/**',                       'profiles of accounts'],
  ['api/organizations/*/members',        'lists of the members of a namespace'],
  ['api/organizations/*/followers',      'following a namespace'],
  ['api/organizations/*/overview',       'profiles of namespaces'],
  ['api/organizations/*/avatar',         'profiles of namespaces'],
  ['api/organizations/*/resource-groups/**', 'resource groups'],
  ['api/organizations/*/audit-log/**',   'audit logs through the API of a hub'],
  ['api/organizations/*/billing/**',     'billing'],
  ['api/organizations/*/scim/**',        'SCIM'],
  ['api/models-tags-by-type',            'lists of all tags'],
  ['api/datasets-tags-by-type',          'lists of all tags'],
  ['api/tasks/**',                       'lists of tasks'],
  ['api/trending/**',                    'trending repositories'],
  ['api/quicksearch/**',                 'a search across repositories, accounts and papers'],
  ['api/docs/**',                        'a search of documentation'],
  ['api/inference/**',                   'inference'],
  ['api/telemetry/**',                   'telemetry'],
  ['api/agent-harnesses',                'lists of agents'],
  ['api/spaces/hardware',                'running spaces'],
  ['api/spaces/templates',               'templates of spaces'],
  ['api/spaces/semantic-search',         'a search of spaces by meaning'],
  ['api/spaces/zero-gpu/quota',          'running spaces'],
  ['buckets/**',                         'buckets'],
  ['collections/**',                     'collections'],
  ['jobs/**',                            'jobs'],
  ['kernels/**',                         'kernels'],
  ['papers/**',                          'papers'],
  ['posts/**',                           'posts'],
  ['settings/**',                        'pages of account settings'],
  ['oauth/**',                           'a login by OAuth'],
  ['uploads',                            'attachments of discussions'],
  ['.well-known/openid-configuration',   'a login by OAuth'],
  ['.well-known/oauth-authorization-server', 'a login by OAuth'],
]

const runs = 'running spaces'
const dataViewer = 'the dataset viewer'

/** By the word behind the repository, below `/api`. */
// biome-ignore format: a table is read by its columns
export const unservedOfRepo: Readonly<Record<string, string>> = {
  'settings':             'changing the settings of a repository',
  'resource-group':       'resource groups',
  'duplicate':            'duplicating a repository',
  'lfs-files':            'listing, deleting and copying large files by their hashes',
  'super-squash':         'squashing the history of a branch',
  'like':                 'likes',
  'likers':               'likes',
  'user-access-request':  'gated repositories and access requests',
  'ask-access':           'gated repositories and access requests',
  'user-access-report':   'gated repositories and access requests',
  'safetensors-metadata': 'the headers of all safetensors files in one response',
  'leaderboard':          'leaderboards',
  'eval-results':         'leaderboards',
  'scan':                 'security scans',
  'treesize':             'the size of a folder',
  'compare':              'comparing two revisions',
  'notebook':             'notebooks',
  'parquet':              dataViewer,
  'croissant':            dataViewer,
  'jsonl':                dataViewer,
  'sql-console':          dataViewer,
  'statistics':           dataViewer,
  'runtime':              runs,
  'hardware':             runs,
  'storage':              runs,
  'sleeptime':            runs,
  'pause':                runs,
  'restart':              runs,
  'dev-mode':             runs,
  'logs':                 runs,
  'events':               runs,
  'metrics':              runs,
  'secrets':              'environment variables of spaces',
  'variables':            'environment variables of spaces',
  'volumes':              'volumes of spaces',
}

/** By the word behind the repository, outside `/api`. */
// biome-ignore format: a table is read by its columns
export const unservedViews: Readonly<Record<string, string>> = {
  'discussions': 'pages of pull requests and discussions',
  'settings':    'pages of settings',
  'edit':        'editing in the browser',
  'new':         'editing in the browser',
  'upload':      'uploading in the browser',
  'delete':      'editing in the browser',
  'blame':       'the history of each line',
  'compare':     'comparing two revisions',
  'viewer':      dataViewer,
  'embed':       dataViewer,
  'sql-console': dataViewer,
}

const byFirstWords: ReadonlyMap<string, readonly Row[]> = Map.groupBy(unservedRows, ([pattern]) =>
  firstWords(pattern.split('/')),
)

/** The method does not matter. The response says nothing about a repository: none is looked up. */
export function findUnserved(segments: readonly string[]): Later | undefined {
  const rows = byFirstWords.get(firstWords(segments)) ?? []
  const later = rows.find(([pattern]) => isMatch(pattern.split('/'), segments))?.[1]
  return later === undefined ? undefined : { later }
}

export function unservedAt(
  table: Readonly<Record<string, string>>,
  word: string | undefined,
): Later | undefined {
  const later = word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined
  return later === undefined ? undefined : { later }
}

function firstWords([first = '', second = '']: readonly string[]): string {
  return first === 'api' ? `${first}/${second}` : first
}

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false
  return fixed.every((word, at) => word === '*' || word === segments[at])
}
