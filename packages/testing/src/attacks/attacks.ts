/** The attacks that every form of the gate is put to, and how each of them ends there; docs/reference/conformance.md shows this table. */

import type { Asking } from '../http/ask.ts'

export const ways = [
  ...(['gateway', 'fetch', 'express', 'fastify'] as const),
  ...(['nginx', 'caddy', 'envoy', 'traefik', 'storage'] as const),
] as const

export type Way = (typeof ways)[number]

/**
 * A status: refused, and the storage hears nothing. `harmless`: served, without what would mislead the storage.
 * `app`: served as it came, since the server belongs to the application, which decides what it believes.
 */
export type Ending = number | 'harmless' | 'app'

export interface Attack {
  readonly what: string
  readonly method: string
  /** Below the address of repository and ref. */
  readonly path: string
  readonly token: 'read' | 'write' | 'forged' | 'none'
  /** Whose address it is sent to: that of the token, or another. */
  readonly place: 'own' | 'other repository' | 'other ref'
  readonly headers: readonly string[]
  readonly host: string | undefined
  readonly endings: Readonly<Record<Way, Ending>>
}

/** What a request needs from the world it is sent in. */
export interface Setting {
  prefix(place: Attack['place']): string
  /** Undefined sends no Authorization header. */
  bearer(token: Attack['token']): string | undefined
}

/** What a storage must not hear where an attack ends `harmless`. */
export const misleadingValue = 'misleading'

/** Headers by which proxies tell the servers behind them of host, address and user. */
export const forwardedKin = [
  ...['Forwarded', 'X-Forwarded', 'X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'],
  ...['X-Forwarded-Server', 'X-Forwarded-Prefix', 'X-Forwarded-Ssl', 'X-Forwarded-Scheme'],
  ...['X-Forwarded-User', 'X-Host', 'X-Original-Host', 'X-HTTP-Host-Override', 'X-Real-IP'],
  ...['X-Client-IP', 'True-Client-IP', 'X-Cluster-Client-IP', 'CF-Connecting-IP'],
  ...['X-Remote-User', 'Remote-User', 'Proxy'],
] as const

type Request = Partial<Pick<Attack, 'method' | 'token' | 'place' | 'headers' | 'host'>>

const put = { method: 'PUT' }
const gone = { method: 'DELETE' }
const get = { method: 'GET' }
const telemetry = '/v1/telemetry'
const chunk = '/v1/chunks/default/abc'

const header = (name: string, value: string = misleadingValue): Request => ({
  headers: [name, value],
})
const allKin = { headers: forwardedKin.flatMap((name) => [name, misleadingValue]) }

/** nginx knows no other refusals than 401 and 403. */
const unreadable = { nginx: 403 }
/** A Request has its URL repaired before the gate sees it; it is then judged as repaired. */
const repaired = { ...unreadable, fetch: 403 }
/** Traefik decodes letters before the gate sees them. */
const decoded = { ...unreadable, traefik: 403 }
const forApps = { fetch: 'app', express: 'app', fastify: 'app' } as const
const foreign = { ...forApps, envoy: 404, traefik: 404 } as const

// biome-ignore format: a table is read by its columns
export const attacks: readonly Attack[] = [
  attack('a read token writes',                                    '/v1/shards',                              {},                                   403),
  attack('a read token writes below a long prefix',                '/a/b/c/d/e/f/g/shards',                   {},                                   403),
  attack('a read token asks to write as newer clients do',         '/v1/xorb-grants/default/abc',             {},                                   403),
  attack('a read token commits as newer clients do',               '/v1/xorb-commits/default/abc/grant/id',   {},                                   403),
  attack('a read token uses a route that begins like a write one', '/a/b/c/d/e/shardlike/x',                  {},                                   403),
  attack('a read token writes in other letters',                   '/a/b/c/d/e/XORBS/default/abc',            {},                                   403),
  attack('a read token writes in letters that fold to others',     '/v1/%EF%BD%98orbs/default/abc',           {},                                   403),
  attack('a read token puts',                                      '/xorb/default/abc',                       put,                                  403),
  attack('a read token deletes',                                   '/v1/files/abc',                           gone,                                 403),
  attack('a write route is encoded',                               '/v1/%73hards',                            {},                                   400, decoded),
  attack('a write route comes after dots',                         '/v1/x/../shards',                         {},                                   400, repaired),
  attack('a write route comes after two slashes',                  '//shards',                                {},                                   400, unreadable),
  attack('a write route ends at a semicolon',                      '/v1/shards;x',                            {},                                   400, unreadable),
  attack('a write route hides behind an encoded slash',            '/v1%2fshards',                            {},                                   400, unreadable),
  attack('a header names another method',                          telemetry,                                 header('X-HTTP-Method-Override'),     400, unreadable),
  attack('a header names another path',                            telemetry,                                 header('X-Original-URL', '/shards'),  400, unreadable),
  attack('a header names an object to copy from',                  telemetry,                                 header('X-Amz-Copy-Source', '/other'), 400, unreadable),
  attack('the query names another method',                         `${telemetry}?_method=DELETE`,             {},                                   400, unreadable),
  attack('the query names another method, encoded',                `${telemetry}?a=b&%5fMetho%64=DELETE`,     {},                                   400, unreadable),
  attack('a client names another host in X-Forwarded-Host',        telemetry,                                 header('X-Forwarded-Host'),           'harmless', forApps),
  attack('a client sends the other headers of proxies',            telemetry,                                 allKin,                               'harmless', forApps),
  attack('a page comes under another host (DNS rebinding)',        telemetry,                                 { host: 'evil.example' },             421, foreign),
  attack('a client says what it may do',                           telemetry,                                 header('Latchkey-Scope', 'write'),    400, unreadable),
  attack('a client says what it may do, with an underscore',       telemetry,                                 header('latchkey_scope'),             400, { nginx: 'harmless' }),
  attack('a token is used at another repository',                  chunk,                                     { ...get, place: 'other repository' }, 403),
  attack('a token is used at another ref',                         chunk,                                     { ...get, place: 'other ref' },       403),
  attack('a token is forged',                                      chunk,                                     { ...get, token: 'forged' },          401),
  attack('there is no token',                                      chunk,                                     { ...get, token: 'none' },            401),
]

function attack(
  what: string,
  path: string,
  { method = 'POST', token = 'read', place = 'own', headers = [], host }: Request,
  ...[ending, but = {}]: [ending: Ending, but?: Partial<Record<Way, Ending>>]
): Attack {
  const everywhere = Object.fromEntries(ways.map((way) => [way, ending])) as Record<Way, Ending>
  return { what, path, method, token, place, headers, host, endings: { ...everywhere, ...but } }
}

export function askingOf(
  { method, path, token, place, headers, host }: Attack,
  { prefix, bearer }: Setting,
): Asking {
  const credential = bearer(token)
  const authorization = credential === undefined ? [] : ['Authorization', credential]
  return {
    method,
    path: prefix(place) + path,
    headers: [...authorization, ...headers],
    ...(host === undefined ? {} : { host }),
  }
}

const columns: readonly (readonly [title: string, ...ways: readonly Way[]])[] = [
  ['gateway', 'gateway'],
  ['adapters', 'express', 'fastify', 'fetch'],
  ['nginx', 'nginx'],
  ['Caddy', 'caddy'],
  ['Envoy', 'envoy'],
  ['Traefik', 'traefik'],
  ['embedded storage', 'storage'],
]

/** The table as the document has it. */
export function attackTable(): string {
  const titles = ['attack', ...columns.map(([title]) => title)]
  const rows = attacks.map(({ what, endings }) => [
    what,
    ...columns.map(([, first, ...others]) => {
      const usual = endings[first ?? 'gateway']
      const different = others.filter((way) => endings[way] !== usual)
      return [usual, ...different.map((way) => `${way} ${endings[way]}`)].join(', ')
    }),
  ])
  const lines = [titles, titles.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
