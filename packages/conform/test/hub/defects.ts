/** Hubs that break one clause each, by the id of the check that must find it. */

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { RawRequest, RawResponse } from '../../src/wire/raw-request.ts'
import type { Ask, Defect } from './recorded-hub.ts'

/** A request as a defect looks at it. */
interface Seen {
  readonly request: RawRequest
  /** `models`, or nothing if the path is no token request. */
  readonly type: string
  readonly id: string
  readonly word: string
  readonly scope: string
  readonly revision: string
  readonly query: string
  /** The `account/name` of its hub token, or nothing. */
  readonly as: string
  readonly authorization: string | undefined
}

const tokenTarget = /^\/api\/([^/]*)\/([^?]*)\/(storage|xet)-(\w*)-token\/([^?]*)(\?.*)?$/

function seen(request: RawRequest, names: ReadonlyMap<string, string>): Seen {
  const [, type = '', id = '', word = '', scope = '', revision = '', query = ''] =
    tokenTarget.exec(request.target) ?? []
  const authorization = headerOf(request, 'Authorization')
  const as = names.get(/^Bearer (.*)$/.exec(authorization ?? '')?.[1] ?? '') ?? ''
  return { request, type, id, word, scope, revision, query, as, authorization }
}

function headerOf({ headers }: RawRequest, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1]
}

type Change = Partial<Pick<Seen, 'id' | 'scope' | 'revision' | 'query'>> & {
  readonly target?: string
  readonly method?: string
  /** A hub token of the world, or none. */
  readonly as?: string | undefined
  readonly authorization?: string
}

/** Serves some requests as if they were others. */
function serves(
  isMeant: (seen: Seen) => boolean,
  change: Change | ((seen: Seen) => Change),
): Defect {
  return (request, ask, names) => {
    const view = seen(request, names)
    if (!isMeant(view)) return ask(request)
    const changed = typeof change === 'function' ? change(view) : change
    const { type, id, word, scope, revision, query } = { ...view, ...changed }
    const target = changed.target ?? `/api/${type}/${id}/${word}-${scope}-token/${revision}${query}`
    const method = changed.method ?? request.method
    return ask({
      ...request,
      method,
      target: type === '' && changed.target === undefined ? request.target : target,
      headers: headersFor(request, changed, names),
    })
  }
}

function headersFor(
  request: RawRequest,
  change: Change,
  names: ReadonlyMap<string, string>,
): RawRequest['headers'] {
  if (!('as' in change) && change.authorization === undefined) return request.headers
  const others = request.headers.filter(([name]) => name !== 'Authorization')
  const token = Array.from(names).find(([, name]) => name === change.as)?.[0]
  const value = change.authorization ?? (token && `Bearer ${token}`)
  return value === undefined ? others : [...others, ['Authorization', value]]
}

/** Changes some responses. */
function changes(
  isMeant: (seen: Seen, response: RawResponse) => boolean,
  change: (response: RawResponse, seen: Seen) => RawResponse,
): Defect {
  return async (request, ask, names) => {
    const response = await ask(request)
    const view = seen(request, names)
    return isMeant(view, response) ? change(response, view) : response
  }
}

function withText(response: RawResponse, text: string): RawResponse {
  return { ...response, text, bytes: Buffer.from(text) }
}

function withHeader(response: RawResponse, name: string, value: string | undefined): RawResponse {
  const { [name]: _, ...others } = response.headers
  return { ...response, headers: value === undefined ? others : { ...others, [name]: value } }
}

type Members = Readonly<Record<string, unknown>>

function withMembers(response: RawResponse, change: (members: Members) => Members): RawResponse {
  return withText(response, JSON.stringify(change(JSON.parse(response.text))))
}

const isIssued = (word: string) => (view: Seen, response: RawResponse) =>
  view.word === word && view.request.method === 'GET' && response.status === 200

/** Changes the members of token responses. */
function issues(change: (members: Members) => Members): Defect {
  return changes(isIssued('storage'), (response) => withMembers(response, change))
}

const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { kty, crv, x, y } = ownKey.publicKey.export({ format: 'jwk' })
const ownJwk = {
  ...{ kty, crv, x, y, alg: 'ES256' },
  kid: createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'),
}

function segment(members: object): string {
  return Buffer.from(JSON.stringify(members)).toString('base64url')
}

interface DefectClaims extends Members {
  readonly ref: { readonly name: string; readonly uid: string }
}

/** Changes the claims of tokens, and signs them with a key that is published too. */
function claims(change: (claims: DefectClaims, seen: Seen) => Members): Defect {
  const signed = changes(isIssued('storage'), (response, view) =>
    withMembers(response, (members) => {
      const [, payload = ''] = String(members['accessToken']).split('.')
      const old: DefectClaims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const header = { alg: 'ES256', kid: ownJwk.kid, typ: 'at+jwt' }
      const text = `${segment(header)}.${segment(change(old, view))}`
      const key = { key: ownKey.privateKey, dsaEncoding: 'ieee-p1363' } as const
      const signature = sign('sha256', Buffer.from(text), key).toString('base64url')
      return { ...members, accessToken: `${text}.${signature}` }
    }),
  )
  return async (request, ask, names) => {
    const response = await signed(request, ask, names)
    return isKeys(request) ? withKeys(response, (keys) => [...keys, ownJwk]) : response
  }
}

const isKeys = ({ target }: RawRequest) => target === '/.well-known/jwks.json'
const isHead = ({ target }: RawRequest) => target === '/.well-known/storage-revocations'
const isList = ({ target }: RawRequest) => target.startsWith('/.well-known/storage-revocations/')

function withKeys(
  response: RawResponse,
  change: (keys: readonly Members[]) => readonly Members[],
): RawResponse {
  return withMembers(response, ({ keys }) => ({
    keys: change(Array.isArray(keys) ? keys : []),
  }))
}

/** Repeats the first response to the same request, as a cache does. */
function repeats(isMeant: (seen: Seen) => boolean): Defect {
  let first: Promise<RawResponse> | undefined
  return (request, ask, names) => {
    if (!isMeant(seen(request, names))) return ask(request)
    first ??= ask(request)
    return first
  }
}

function flipped(text: string): string {
  const at = text.length - 20
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
}

const isOwnRead = (view: Seen) => view.word === 'storage' && view.scope === 'read'
const isOwnWrite = (view: Seen) => view.word === 'storage' && view.scope === 'write'
const isGet = ({ request }: Seen) => request.method === 'GET'
const isAnonymous = ({ authorization }: Seen) => authorization === undefined

const usualTarget = '/api/models/conform/private/storage-read-token/main'
/** Accept, User-Agent and Authorization. */
const usualHeaderCount = 3

function rejection(status: number): RawResponse {
  const text = JSON.stringify({ error: 'too long' })
  return { status, headers: {}, text, bytes: Buffer.from(text) }
}

export const defects: Readonly<Record<string, Defect>> = {
  'get-issues-token': serves(
    ({ request, word }) => word !== '' && headerOf(request, 'User-Agent') === undefined,
    { method: 'POST' },
  ),
  'repository-types': serves(({ type }) => type === 'spaces', { id: 'conform/absent' }),
  'repository-types: one namespace for all types': serves(
    ({ type, id }) => type === 'datasets' && id === 'conform/private',
    { target: usualTarget },
  ),
  'repository-id': serves(({ id }) => id === 'conform/odd.name_1-x', {
    id: 'conform/Odd.name_1-x',
  }),
  'token-types': serves(({ scope }) => scope === 'READ', { scope: 'read' }),
  'revision-kinds': serves(({ revision }) => revision === 'v1.0', { revision: 'absent' }),
  'four-parameters': serves(
    ({ request }) => /-read-token\/?$/.test(request.target),
    ({ request }) => ({ target: `${request.target.replace(/\/$/, '')}/main` }),
  ),
  'decoded-once': serves(
    ({ revision }) => revision.includes('%25'),
    ({ revision }) => ({ revision: revision.replaceAll('%25', '%') }),
  ),
  'byte-for-byte': serves(({ revision }) => revision === 'Main', { revision: 'main' }),
  'recorded-commits': serves(({ revision }) => /^0{40}$/.test(revision), { revision: 'main' }),
  'recorded-commits: short hashes': serves(({ revision }) => /^[0-9a-f]{8}$/.test(revision), {
    revision: 'main',
  }),
  'ref-folders': serves(({ revision }) => revision === 'refs%2Fheads%2Fv1.0', {
    revision: 'v1.0',
  }),
  'impossible-names': serves(({ revision }) => revision === 'main/', { revision: 'main' }),
  'unknown-query': serves((view) => isOwnRead(view) && view.query !== '', { revision: 'absent' }),
  'unknown-paths': serves(({ revision }) => /%(?:zz|ff)/.test(revision), { revision: 'main' }),
  'doubled-slashes': serves(
    ({ request }) => request.target.includes('//'),
    ({ request }) => ({ target: request.target.replaceAll(/\/+/g, '/') }),
  ),
  'missing-token': serves(
    (view) => isOwnWrite(view) && isAnonymous(view) && view.id === 'conform/private' && isGet(view),
    { as: 'reader/write' },
  ),
  'invalid-token: a prefix is enough': serves(
    ({ authorization = '', as }) => as === '' && /^Bearer lk_\w{40,100}$/.test(authorization),
    { as: 'reader/read' },
  ),
  'no-permission': serves((view) => view.as === 'writer/read' && isOwnWrite(view), {
    as: 'writer/write',
  }),
  'absent-repository': serves(({ id }) => id === 'absent/private', {
    ...{ id: 'conform/private', scope: 'write', as: 'reader/write' },
  }),
  'absent-revision: the default branch instead': serves(
    (view) => isOwnRead(view) && view.revision === 'absent' && isGet(view),
    { revision: 'main' },
  ),
  'scheme-in-any-case': serves(
    ({ authorization = '' }) => /^(?:BEARER|bearer)/.test(authorization),
    { as: undefined },
  ),
  'token-elsewhere': serves(
    ({ query }) => query.startsWith('?access_token='),
    ({ query }) => ({ authorization: `Bearer ${query.slice('?access_token='.length)}` }),
  ),
  'other-scheme': serves(
    ({ authorization = '' }) => authorization.startsWith('Basic '),
    ({ authorization = '' }) => {
      const [, password = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
      return { authorization: `Bearer ${password}` }
    },
  ),
  'two-tokens': serves(
    ({ request }) => request.headers.filter(([name]) => name === 'Authorization').length > 1,
    ({ as }) => ({ as }),
  ),
  'malformed-token': serves(
    ({ authorization = '' }) => authorization.startsWith('Bearer  '),
    ({ authorization = '' }) => ({ authorization: authorization.replace('  ', ' ') }),
  ),
  'long-token': async (request, ask) =>
    (headerOf(request, 'Authorization') ?? '').length > 60_000 ? rejection(431) : ask(request),
  'other-methods': serves(({ request, word }) => word !== '' && request.method === 'PUT', {
    method: 'GET',
  }),
  'invalid-token-first': serves(
    ({ authorization, id }) => authorization === 'Bearer conform' && id === 'conform/absent',
    { as: 'reader/read' },
  ),
  'repository-first': serves(({ as, id }) => as === 'reader/write' && id === 'conform/absent', {
    id: 'conform/private',
  }),
  'permission-first': serves(
    (view) => view.as === 'reader/write' && view.revision === 'absent' && isOwnWrite(view),
    { as: 'writer/write' },
  ),
  'revision-last': changes(
    (view, { status }) =>
      isOwnWrite(view) && isGet(view) && view.revision === 'absent' && status === 404,
    (response) => withMembers(response, (all) => ({ ...all, code: 'repository_not_found' })),
  ),
  'write-covers-read': serves((view) => view.as === 'writer/write' && isOwnRead(view), {
    ...{ scope: 'write', as: 'reader/write' },
  }),
  'write-access: public is for everybody': serves(
    (view) => view.as === 'stranger/write' && isOwnWrite(view) && view.id === 'conform/open',
    { as: 'writer/write' },
  ),
  'read-access': serves(
    (view) => view.as === 'stranger/write' && isOwnRead(view) && view.id === 'conform/private',
    { as: 'reader/read' },
  ),
  'fine-grained: refs do not count': serves(
    ({ as, revision }) => as === 'robot/only-main' && revision === 'dev',
    { as: 'robot/write' },
  ),
  'service-accounts': serves((view) => view.as === 'robot/write' && isOwnWrite(view), {
    as: 'reader/write',
  }),
  'anonymous-read: and write': serves(
    (view) => isAnonymous(view) && isOwnWrite(view) && view.id === 'conform/open',
    { as: 'writer/write' },
  ),
  'hidden-is-absent: another sentence': changes(
    ({ as, id }, { status }) =>
      as === 'stranger/write' && id === 'conform/private' && status === 404,
    (response) => withText(response, response.text.replaceAll('There is no', 'You see no')),
  ),
  'hidden-is-absent: another header': changes(
    ({ as, id }, { status }) =>
      as === 'stranger/write' && id === 'conform/private' && status === 404,
    (response) => withHeader(response, 'x-error-code', 'GatedRepo'),
  ),
  'json-object': changes(isIssued('storage'), (response) =>
    withHeader(response, 'content-type', 'text/plain'),
  ),
  members: issues((all) => ({ ...all, tokenType: 'Bearer' })),
  'members: exp is a text': issues((all) => ({ ...all, exp: String(all['exp']) })),
  'exp: a fraction': issues((all) => ({ ...all, exp: Number(all['exp']) + 0.5 })),
  'cas-url: a trailing slash': issues((all) => ({ ...all, casUrl: `${all['casUrl']}/` })),
  'access-token-length': issues((all) => ({
    ...all,
    accessToken: `${all['accessToken']}${'a'.repeat(64_000)}`,
  })),
  'access-token-characters: a line feed': issues((all) => ({
    ...all,
    accessToken: `${all['accessToken']}\n`,
  })),
  'cas-url-length': issues((all) => ({ ...all, casUrl: `${all['casUrl']}${'/a'.repeat(32_000)}` })),
  'another-token': repeats(
    (view) =>
      isGet(view) &&
      view.as === 'reader/read' &&
      view.request.target === usualTarget &&
      view.request.headers.length === usualHeaderCount,
  ),
  'body-of-get': serves(({ request }) => request.body !== undefined, { revision: 'absent' }),
  'head: without checks': serves(
    (view) => view.request.method === 'HEAD' && isAnonymous(view) && view.word !== '',
    { as: 'reader/read' },
  ),
  'headers: a token may be cached': changes(isIssued('storage'), (response) =>
    withHeader(response, 'cache-control', 'private, max-age=60'),
  ),
  'headers: no request id': changes(
    (view, { status }) => view.word === 'storage' && status === 403,
    (response) => withHeader(response, 'x-request-id', undefined),
  ),
  'problem-documents': changes(
    (view, { status }) => view.word === 'storage' && isGet(view) && status === 403,
    (response) => withMembers(response, ({ title: _, ...others }) => others),
  ),
  challenges: changes(
    (view, { status }) => view.word === 'storage' && status === 403,
    (response) => withHeader(response, 'www-authenticate', undefined),
  ),
  'xet-paths': serves((view) => view.word === 'xet' && isAnonymous(view), {
    target: '/api/nothing',
  }),
  'xet-headers': changes(isIssued('xet'), (response) =>
    withHeader(response, 'x-xet-token-expiration', undefined),
  ),
  'xet-default-branch': serves(({ revision }) => revision === 'None', { revision: 'absent' }),
  'xet-errors': changes(
    (view, { status }) => view.word === 'xet' && status === 404,
    (response) => withHeader(response, 'x-error-code', undefined),
  ),
  'xet-size': changes(isIssued('xet'), (response) =>
    withText(response, response.text.padEnd(11_000)),
  ),
  'error-message': changes(
    (view, { status }) => view.word === 'xet' && status === 401,
    (response) => withHeader(response, 'x-error-message', 'Unauthorized'),
  ),
  'token-form': claims((all) => ({ ...all, roles: [] })),
  'token-signature: an unpublished key': issues((all) => ({
    ...all,
    accessToken: flipped(String(all['accessToken'])),
  })),
  'token-signature: another audience': claims((all) => ({ ...all, aud: 'https://other.example' })),
  'token-life': claims((all) => ({ ...all, exp: Number(all['exp']) + 60 })),
  'token-scope': claims((all, { as }) =>
    as === 'writer/write' ? { ...all, scope: 'write' } : all,
  ),
  'token-place: the short name': claims((all) => ({
    ...all,
    ref: { ...all.ref, name: all.ref.name.replace('refs/heads/', '') },
  })),
  'own-ids': claims((all) =>
    /^refs\/(?:tags|pr)\//.test(all.ref.name) ? { ...all, ref: { ...all.ref, uid: 'other' } } : all,
  ),
  'inherited-refs': claims((all) => ({ ...all, sees: [] })),
  'public-keys': changes(
    ({ request }) => isKeys(request),
    (response) => withKeys(response, (keys) => keys.map((key) => ({ ...key, d: 'AAAA' }))),
  ),
  'public-keys: cached for a day': changes(
    ({ request }) => isKeys(request),
    (response) => withHeader(response, 'cache-control', 'public, max-age=86400'),
  ),
  'key-ids': changes(
    ({ request }) => isKeys(request),
    (response) => withKeys(response, (keys) => [...keys, { ...ownJwk, kid: '1' }]),
  ),
  'head-signature': changes(
    ({ request }) => isHead(request),
    (response) => withText(response, flipped(response.text)),
  ),
  'head-life: cached': changes(
    ({ request }) => isHead(request),
    (response) => withHeader(response, 'cache-control', 'public, max-age=60'),
  ),
  'list-of-head': changes(
    ({ request }) => isList(request),
    (response) => withText(response, 'another list'),
  ),
  rotation: withoutOldKeys(),
  'revoked-token: the head of before': repeats(({ request }) => isHead(request)),
}

/** Publishes only the newest key as soon as there is one. */
function withoutOldKeys(): Defect {
  let old: readonly unknown[] | undefined
  return async (request: RawRequest, ask: Ask) => {
    const response = await ask(request)
    if (!isKeys(request)) return response
    return withKeys(response, (keys) => {
      old ??= keys.map(({ kid }) => kid)
      const newer = keys.filter(({ kid }) => !old?.includes(kid))
      return newer.length === 0 ? keys : newer
    })
  }
}
