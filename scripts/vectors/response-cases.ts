/** Token requests to a hub that holds `world.json`, and the responses it owes; every expectation is written down by hand. */

import { worldText } from '@latchkey/conform'

type HeaderRule = string | true | null

export interface ResponseCase {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, HeaderRule>>
    readonly token?: TokenExpectation
    readonly error?: { readonly code: string; readonly missing?: string }
    readonly body?: ''
    readonly sameAs?: string
  }
}

interface TokenExpectation {
  readonly scope: 'read' | 'write'
  readonly repository: string
  readonly ref: string
  readonly commit: string
  readonly lifetimeSeconds: number
}

interface Question {
  /** `account/name` of a hub token; null: none. */
  readonly as?: string | null
  readonly method?: string
  readonly headers?: ResponseCase['headers']
}

const secret = 'models/conform/private'
const open = 'models/conform/open'
const lifetimeSeconds = 900

/** Commits of the world, by names of its refs. */
function commitOf(repository: string, branch: string): string {
  const { repositories } = JSON.parse(worldText())
  const found = repositories.find(({ type, id }: Readonly<Record<string, string>>) => {
    return `${type}s/${id}` === repository
  })
  const value = found?.branches[branch]
  return value?.commit ?? value
}

const [main, dev] = [commitOf(secret, 'main'), commitOf(secret, 'dev')]
const [feature, odd] = [commitOf(secret, 'feature/x'), commitOf(secret, 'feature/x#1%2F+é')]
const elsewhere = commitOf(open, 'main')
/** Recorded, but no longer the end of a branch. */
const old = '62d8f1a4b7039ce5d2186f0a3b94c7e8d5f01a9b'

function path(scope: 'read' | 'write', repository: string, revision: string): string {
  return `/api/${repository}/storage-${scope}-token/${encodeURIComponent(revision)}`
}

const always = { 'X-Request-Id': true, 'Cache-Control': 'no-store' } as const
const noTrace = { 'X-Error-Code': null, 'X-Error-Message': null, 'WWW-Authenticate': null } as const

function asked(name: string, target: string, question: Question, owed: ResponseCase['response']) {
  const { as = 'reader/read', method = 'GET', headers = [] } = question
  const credential =
    as === null ? [] : [['Authorization', `Bearer <${as}>`] as readonly [string, string]]
  return { name, method, target, headers: [...credential, ...headers], response: owed }
}

/** A token for `ref` at `commit`. */
function issues(
  name: string,
  [scope, repository, revision]: readonly ['read' | 'write', string, string],
  [ref, commit]: readonly [string, string],
  question: Question = {},
  lifetime = lifetimeSeconds,
): ResponseCase {
  return asked(name, path(scope, repository, revision), question, {
    status: 200,
    headers: { ...always, ...noTrace, 'Content-Type': 'application/json' },
    token: { scope, repository, ref, commit, lifetimeSeconds: lifetime },
  })
}

const problem = {
  ...always,
  'Content-Type': 'application/problem+json',
  'X-Error-Message': true,
} as const
const challenge = (error?: string) =>
  error === undefined ? 'Bearer realm="latchkey"' : `Bearer realm="latchkey", error="${error}"`

const refusals = {
  hub_token_missing: [401, { 'WWW-Authenticate': challenge() }],
  hub_token_invalid: [401, { 'WWW-Authenticate': challenge('invalid_token') }],
  permission_denied: [403, { 'WWW-Authenticate': challenge('insufficient_scope') }],
  not_found: [404, { 'WWW-Authenticate': null, 'X-Error-Code': null }],
  repository_not_found: [404, { 'WWW-Authenticate': null, 'X-Error-Code': 'RepoNotFound' }],
  revision_not_found: [404, { 'WWW-Authenticate': null, 'X-Error-Code': 'RevisionNotFound' }],
  method_not_allowed: [405, { 'WWW-Authenticate': null, Allow: 'GET, HEAD' }],
} as const satisfies Record<string, readonly [number, Readonly<Record<string, HeaderRule>>]>

type Code = keyof typeof refusals

/** `target`: a path, or scope, repository and revision. */
function refuses(
  code: Code,
  name: string,
  target: string | readonly ['read' | 'write', string, string],
  question: Question = {},
  more: Partial<ResponseCase['response']> = {},
): ResponseCase {
  const [status, headers] = refusals[code]
  return asked(name, typeof target === 'string' ? target : path(...target), question, {
    status,
    headers: { ...problem, ...headers, ...more.headers },
    error: { code },
    ...(more.sameAs === undefined ? {} : { sameAs: more.sameAs }),
  })
}

function head(
  name: string,
  target: string,
  as: string | null,
  status: number,
  headers: ResponseCase['response']['headers'],
): ResponseCase {
  const response = { status, headers: { ...always, ...headers }, body: '' } as const
  return asked(name, target, { as, method: 'HEAD' }, response)
}

const readMain = ['read', secret, 'main'] as const
const mainRef = ['refs/heads/main', main] as const
const credential = (value: string): Question => ({ as: null, headers: [['Authorization', value]] })
const unknownToken = `lk_${'0'.repeat(49)}`

const plain: readonly ResponseCase[] = [
  issues('a read token', readMain, mainRef),
  issues('a write token', ['write', secret, 'main'], mainRef, { as: 'writer/write' }),
  issues('a read token for a token that writes', readMain, mainRef, { as: 'writer/write' }),
  issues('another branch', ['read', secret, 'dev'], ['refs/heads/dev', dev]),
  issues('a branch with a slash', ['read', secret, 'feature/x'], ['refs/heads/feature/x', feature]),
  issues(
    'a branch with every odd character',
    ['read', secret, 'feature/x#1%2F+é'],
    ['refs/heads/feature/x#1%2F+é', odd],
  ),
  issues('a full name', ['read', secret, 'refs/heads/main'], mainRef),
  issues('a tag', ['read', secret, 'v1.0'], ['refs/tags/v1.0', main]),
  issues('another ref', ['read', secret, 'refs/pr/1'], ['refs/pr/1', dev]),
  issues('a commit', ['read', secret, old], [old, old]),
  issues('a commit in capitals', ['read', secret, old.toUpperCase()], [old, old]),
  issues(
    'a name with capitals, a dot and a hyphen',
    ['read', 'models/conform/Odd.name_1-x', 'main'],
    mainRef,
  ),
  issues('a dataset', ['read', 'datasets/conform/data', 'main'], mainRef),
  issues('a space', ['read', 'spaces/conform/demo', 'main'], mainRef),
  issues(
    'a public repository, for an account without a role',
    ['read', open, 'main'],
    ['refs/heads/main', elsewhere],
    { as: 'stranger/write' },
  ),
  issues('a fine-grained hub token, in its ref', ['write', secret, 'main'], mainRef, {
    as: 'robot/only-main',
  }),
  issues('a hub token of all repositories of a namespace', readMain, mainRef, {
    as: 'robot/only-read',
  }),
  { ...issues('a query', readMain, mainRef), target: `${path(...readMain)}?a=b` },
  issues('the scheme in capitals', readMain, mainRef, credential('BEARER <reader/read>')),

  refuses('not_found', 'no token request', '/api/models/conform/private', { as: null }),
  refuses('not_found', 'an encoding that is none', `${path(...readMain)}%ZZ`, { as: null }),
  ...['POST', 'PUT', 'DELETE', 'PATCH'].map((method) =>
    refuses('method_not_allowed', `the method ${method}`, readMain, { method }),
  ),
  refuses('method_not_allowed', 'another method without a hub token', readMain, {
    ...{ as: null, method: 'POST' },
  }),
  refuses('hub_token_missing', 'no hub token', readMain, { as: null }),
  refuses('hub_token_missing', 'no hub token, for a public repository', ['read', open, 'main'], {
    as: null,
  }),
  refuses(
    'hub_token_missing',
    'no hub token, for a repository that does not exist',
    ['read', 'models/conform/none', 'main'],
    { as: null },
  ),
  refuses('hub_token_invalid', 'a hub token that nobody has', readMain, {
    ...credential(`Bearer ${unknownToken}`),
  }),
  refuses('hub_token_invalid', 'no hub token at all after Bearer', readMain, {
    ...credential('Bearer x'),
  }),
  refuses(
    'hub_token_invalid',
    'an unknown hub token, for a repository that does not exist',
    ['read', 'models/conform/none', 'main'],
    credential(`Bearer ${unknownToken}`),
  ),
  refuses('permission_denied', 'a role that only reads', ['write', secret, 'main'], {
    as: 'reader/write',
  }),
  refuses('permission_denied', 'a hub token that only reads', ['write', secret, 'main'], {
    as: 'writer/read',
  }),
  refuses('permission_denied', 'no role', readMain, { as: 'stranger/write' }),
  refuses('permission_denied', 'a public repository, to write', ['write', open, 'main'], {
    as: 'stranger/write',
  }),
  refuses(
    'permission_denied',
    'a fine-grained hub token, in another ref',
    ['write', secret, 'dev'],
    {
      as: 'robot/only-main',
    },
  ),
  refuses(
    'permission_denied',
    'a fine-grained hub token, in another repository',
    ['read', 'models/conform/Odd.name_1-x', 'main'],
    { as: 'robot/only-main' },
  ),
  refuses('permission_denied', 'a grant that only reads', ['write', secret, 'main'], {
    as: 'robot/only-read',
  }),
  refuses(
    'permission_denied',
    'no role, for a revision that does not exist',
    ['read', secret, 'no'],
    {
      as: 'stranger/write',
    },
  ),
  refuses('repository_not_found', 'no such repository', ['read', 'models/conform/none', 'main']),
  refuses('repository_not_found', 'no such namespace', ['read', 'models/nobody/private', 'main']),
  refuses('repository_not_found', 'another type', ['read', 'datasets/conform/private', 'main']),
  refuses('repository_not_found', 'a name in capitals', ['read', 'models/conform/PRIVATE', 'main']),
  refuses(
    'repository_not_found',
    'a name that no repository can have',
    '/api/models/conform/a%2Fb/storage-read-token/main',
  ),
  refuses('revision_not_found', 'no such branch', ['read', secret, 'no']),
  refuses('revision_not_found', 'a branch in capitals', ['read', secret, 'MAIN']),
  refuses('revision_not_found', 'no such full name', ['read', secret, 'refs/heads/no']),
  refuses('revision_not_found', 'no such commit', ['read', secret, '9'.repeat(40)]),
  refuses('revision_not_found', 'a commit of another repository', ['read', secret, elsewhere]),
  refuses('revision_not_found', 'a name that no ref can have', ['read', secret, 'a..b']),
  refuses('revision_not_found', 'HEAD', ['read', secret, 'HEAD']),
  refuses(
    'revision_not_found',
    'an error as plain JSON',
    ['read', secret, 'no'],
    { headers: [['Accept', 'application/json']] },
    { headers: { 'Content-Type': 'application/json' } },
  ),
  head('HEAD of a token', path(...readMain), 'reader/read', 200, {
    'Content-Type': 'application/json',
  }),
  head('HEAD without a hub token', path(...readMain), null, 401, {
    'WWW-Authenticate': challenge(),
  }),
  head('HEAD without the permission', path('write', secret, 'main'), 'reader/read', 403, {}),
  head('HEAD of no repository', path('read', 'models/conform/none', 'main'), 'reader/read', 404, {
    'X-Error-Code': 'RepoNotFound',
  }),
  head('HEAD of no revision', path('read', secret, 'no'), 'reader/read', 404, {
    'X-Error-Code': 'RevisionNotFound',
  }),
]

/** A hidden repository must answer as one that does not exist, whatever is asked for in it. */
const hidden: readonly ResponseCase[] = [
  refuses('repository_not_found', 'absent, to read', ['read', 'models/conform/none', 'main'], {
    as: 'stranger/write',
  }),
  refuses('repository_not_found', 'absent, to write', ['write', 'models/conform/none', 'main'], {
    as: 'stranger/write',
  }),
  ...(['read', 'write'] as const).flatMap((scope) =>
    ['main', 'no', 'refs/pr/1', old, 'v1.0', 'a..b'].map((revision) =>
      refuses(
        'repository_not_found',
        `hidden, to ${scope}, at ${revision}`,
        [scope, secret, revision],
        { as: 'stranger/write' },
        { sameAs: `absent, to ${scope}` },
      ),
    ),
  ),
  refuses(
    'repository_not_found',
    'hidden, for a fine-grained hub token',
    ['read', 'models/conform/Odd.name_1-x', 'main'],
    { as: 'robot/only-main' },
    { sameAs: 'absent, to read' },
  ),
  issues('hidden, for its readers', readMain, mainRef),
  refuses('permission_denied', 'to write, for its readers', ['write', secret, 'main'], {
    as: 'reader/write',
  }),
  refuses('revision_not_found', 'no such branch, for its readers', ['read', secret, 'no']),
]

const anonymous: readonly ResponseCase[] = [
  issues('a public repository', ['read', open, 'main'], ['refs/heads/main', elsewhere], {
    as: null,
  }),
  refuses('hub_token_missing', 'a public repository, to write', ['write', open, 'main'], {
    as: null,
  }),
  refuses('hub_token_missing', 'a private repository', readMain, { as: null }),
  refuses('hub_token_missing', 'no repository', ['read', 'models/conform/none', 'main'], {
    as: null,
  }),
  refuses(
    'hub_token_invalid',
    'an unknown hub token, for a public repository',
    ['read', open, 'main'],
    {
      ...credential(`Bearer ${unknownToken}`),
    },
  ),
  refuses('hub_token_missing', 'no revision of a public repository', ['read', open, 'no'], {
    as: null,
  }),
]

const json = { headers: { 'Content-Type': 'application/json' } }
const xetPath = (scope: string, revision: string) => `/api/${secret}/xet-${scope}-token/${revision}`
const xetHeaders = {
  'X-Xet-Cas-Url': true,
  'X-Xet-Access-Token': true,
  'X-Xet-Token-Expiration': true,
} as const

function issuesXet(name: string, revision: string): ResponseCase {
  const { response, ...rest } = issues(name, readMain, mainRef)
  const headers = { ...response.headers, ...xetHeaders }
  return { ...rest, target: xetPath('read', revision), response: { ...response, headers } }
}

const compatible: readonly ResponseCase[] = [
  issuesXet('the route of Hugging Face clients', 'main'),
  issuesXet('the default branch as None', 'None'),
  issuesXet('the default branch as HEAD', 'HEAD'),
  issues('the route of the specification, with None', ['read', secret, 'None'], mainRef),
  refuses(
    'revision_not_found',
    'the route of the specification, with HEAD',
    ['read', secret, 'HEAD'],
    {},
    json,
  ),
  refuses('permission_denied', 'their route to write', xetPath('write', 'main'), {}, json),
  refuses(
    'hub_token_missing',
    'their route without a hub token',
    xetPath('read', 'main'),
    { as: null },
    json,
  ),
  refuses(
    'repository_not_found',
    'no repository',
    ['read', 'models/conform/none', 'main'],
    {},
    json,
  ),
]

const withoutDev = {
  type: 'model',
  id: 'conform/private',
  branches: { main, 'feature/x': feature, 'feature/x#1%2F+é': odd },
}

const changed: readonly ResponseCase[] = [
  refuses('hub_token_invalid', 'a hub token of a disabled account', readMain),
  refuses('permission_denied', 'an account without its role', readMain, { as: 'writer/write' }),
  refuses('revision_not_found', 'a deleted branch', ['read', secret, 'dev'], {
    as: 'robot/only-read',
  }),
  issues(
    'a storage token ends with its hub token',
    readMain,
    mainRef,
    { as: 'robot/only-read' },
    300,
  ),
]

export const responseDocument = {
  about: [
    'Token requests, and the responses of a hub. Each group begins with a hub that holds world.json, at the time now, with the members of its options.',
    'apply: files in the form of world.json that the hub applies before the requests of the group. options: hidePrivateRepositories, anonymousPublicRead, and compatible (the routes of Hugging Face clients).',
    'target and headers: as sent. <account/name> stands for the hub token of this account and name. No hub has the other hub tokens.',
    'headers of a response: the value; true: any value; null: the header must be missing. A challenge of WWW-Authenticate may continue after the value.',
    'token: the body is a token response. accessToken verifies with the published keys; its claims and the body have these values; exp is now + lifetimeSeconds. error: the body is a problem document with this code and status. body "": there is no body.',
    'sameAs: apart from request id, date, and the names that the request itself contains, the response is the one of that case. So a caller cannot detect a hidden repository.',
  ],
  now: 1_800_000_000,
  publicUrl: 'https://hub.example',
  casUrl: 'https://cas.example/r/{repo}/{ref}',
  groups: [
    { name: 'a hub with default options', options: {}, apply: [], cases: plain },
    {
      ...{ name: 'a hub that hides private repositories', apply: [], cases: hidden },
      options: { hidePrivateRepositories: true },
    },
    {
      ...{ name: 'a hub with anonymous reading', apply: [], cases: anonymous },
      options: { anonymousPublicRead: true },
    },
    {
      ...{ name: 'a hub for Hugging Face clients', apply: [], cases: compatible },
      options: { compatible: true },
    },
    {
      ...{ name: 'a hub after changes', options: {}, cases: changed },
      apply: [
        {
          accounts: [{ name: 'reader', disabled: true }],
          namespaces: [{ name: 'conform', members: { robot: 'write' } }],
          repositories: [withoutDev],
          hubTokens: [
            {
              ...{ account: 'robot', name: 'only-read', kind: 'fine-grained' },
              grants: [{ on: 'conform/*', contents: 'read' }],
              expiresAt: '2027-01-15T08:05:00Z',
            },
          ],
        },
      ],
    },
  ],
}
