/** A request for every route of the tables: a route without one here fails the test that counts them. */

import { unservedPaths } from '../../src/addresses/unserved.ts'
import { forgeRoutes } from '../../src/serve/routes.ts'
import type { Asking } from './forge-world.ts'

export interface RouteQuestion {
  /** As the table has it. */
  readonly route: string
  readonly path: string
  readonly asking: Asking
}

interface Words {
  /** Of a model in acme. */
  readonly name: string
  /** As it stands in an address. */
  readonly revision?: string
  readonly path?: string
}

const files = { files: [{ path: 'a.txt', size: 1, sample: '' }] }
const lines = [{ key: 'header', value: { summary: 'a commit' } }]
const object = { oid: 'a'.repeat(64), size: 5 }

/** Rows without a name of their own: each is the refusal of another row's address. */
const unasked = new Set([...unservedPaths.map(([path]) => path), '/api/{type}'])

/** Each row of the table, as it is written there. */
export function routesOfTables(): readonly string[] {
  const rows = forgeRoutes.filter(
    ({ pattern, name }) =>
      !unasked.has(pattern) && (name !== 'refused' || pattern.startsWith('/{repo}')),
  )
  return [...new Set(rows.map(({ method, pattern }) => `${method} ${pattern}`))]
}

export function everyRoute({
  name,
  revision = 'main',
  path = '.gitattributes',
}: Words): readonly RouteQuestion[] {
  const api = `/api/models/acme/${name}`
  const git = `/acme/${name}.git`
  const page = `/acme/${name}`
  const named = { name, organization: 'acme' }
  // biome-ignore format: a table is read by its columns
  const questions: readonly (readonly [route: string, path: string, body?: Asking['body']])[] = [
    ['POST /api/validate-yaml',                    '/api/validate-yaml',                { content: 'a: b' }],
    ['GET /api/settings/repositories',             '/api/settings/repositories'],
    ['GET /api/organizations/{organization}/settings/repositories', '/api/organizations/acme/settings/repositories'],
    ['POST /api/repos/create',                     '/api/repos/create',                 named],
    ['DELETE /api/repos/delete',                   '/api/repos/delete',                 named],
    ['GET /api/{repo}',                            api],
    ['GET /api/{repo}/revision/{revision...}',                   `${api}/revision/${revision}`],
    ['GET /api/{repo}/tree/{at...}',                       `${api}/tree/${revision}?recursive=1`],
    ['POST /api/{repo}/paths-info/{revision...}',                `${api}/paths-info/${revision}`,     { paths: [path] }],
    ['GET /api/{repo}/refs',                       `${api}/refs?include_prs=1`],
    ['GET /api/{repo}/commits/{revision...}',                    `${api}/commits/${revision}`],
    ['POST /api/{repo}/preupload/{revision...}',                 `${api}/preupload/${revision}`,      files],
    ['POST /api/{repo}/commit/{revision...}',                    `${api}/commit/${revision}`,         lines],
    ['POST /api/{repo}/branch/{branch...}',                    `${api}/branch/ci%2Fnew`,            { startingPoint: decodeURIComponent(revision) }],
    ['DELETE /api/{repo}/branch/{branch...}',                  `${api}/branch/${revision}`],
    ['POST /api/{repo}/tag/{revision...}',                       `${api}/tag/${revision}`,            { tag: 'v-new' }],
    ['DELETE /api/{repo}/tag/{tag...}',                     `${api}/tag/${revision}`],
    ['GET /api/{repo}/discussions',                `${api}/discussions`],
    ['POST /api/{repo}/discussions',               `${api}/discussions`,                { title: 'a proposal', pullRequest: true }],
    ['GET /api/{repo}/discussions/{number}',       `${api}/discussions/7`],
    ['POST /api/{repo}/discussions/{number}',      `${api}/discussions/7`,              {}],
    ['GET /api/{repo}/discussions/{rest...}',      `${api}/discussions/7/events`],
    ['POST /api/{repo}/discussions/{rest...}',     `${api}/discussions/7/merge`,        {}],
    ['GET /api/{repo}/auth-check',                 `${api}/auth-check`],
    ['GET /api/{repo}/auth-check/write',           `${api}/auth-check/write`],
    ['GET /{repo}.git/info/refs',                  `${git}/info/refs?service=git-upload-pack`],
    ['POST /{repo}.git/git-upload-pack',           `${git}/git-upload-pack`,            {}],
    ['POST /{repo}.git/git-receive-pack',          `${git}/git-receive-pack`,           {}],
    ['POST /{repo}.git/info/lfs/objects/batch',    `${git}/info/lfs/objects/batch`,     { operation: 'download', transfers: ['basic'], objects: [object] }],
    ['GET /{repo}.git/info/lfs/locks',             `${git}/info/lfs/locks`],
    ['POST /{repo}.git/info/lfs/locks',            `${git}/info/lfs/locks`,             { path }],
    ['POST /{repo}.git/info/lfs/locks/verify',     `${git}/info/lfs/locks/verify`,      {}],
    ['GET /{repo}.git/info/lfs/objects/{oid}',     `${git}/info/lfs/objects/${object.oid}?proof=x`],
    ['PUT /{repo}.git/info/lfs/objects/{oid}',     `${git}/info/lfs/objects/${object.oid}`, {}],
    ['POST /{repo}.git/info/lfs/objects/{oid}/verify', `${git}/info/lfs/objects/${object.oid}/verify`, object],
    ['POST /{repo}.git/info/lfs/locks/{lock}/unlock', `${git}/info/lfs/locks/1/unlock`,   {}],
    ['GET /{repo}',                               page],
    ['GET /{repo}/tree/{at...}',                           `${page}/tree/${revision}`],
    ['GET /{repo}/commits/{at...}',                        `${page}/commits/${revision}`],
    ['GET /{repo}/commit/{revision...}',                         `${page}/commit/${revision}`],
    ['GET /{repo}/resolve/{file...}',                        `${page}/resolve/${revision}/${path}`],
    ['GET /{repo}/raw/{file...}',                            `${page}/raw/${revision}/${path}`],
    ['GET /{repo}/blob/{file...}',                           `${page}/blob/${revision}/${path}`],
  ]
  const unserved = routesOfTables().flatMap((route) => {
    const [, start, word] = /^ANY (.*)\/([^/]+)\/\{rest\.{3}\}$/.exec(route) ?? []
    return word === undefined ? [] : [[route, `${start === '/{other}' ? page : api}/${word}/1`]]
  })
  return [...questions, ...unserved].map(([route = '', target = '', body]) => {
    const [word = 'GET'] = route.split(' ')
    const method = word === 'ANY' ? 'GET' : word
    return { route, path: target, asking: { method, ...(typeof body === 'object' && { body }) } }
  })
}

/** Rows that name no repository, as addresses. */
export const unservedTargets: readonly string[] = unservedPaths.map(([path]) =>
  path.replace('{rest...}', 'any/thing').replace('{any}', 'acme'),
)

/** Routes that name no repository. */
export const ofNoRepository: readonly string[] = [
  'POST /api/validate-yaml',
  'GET /api/settings/repositories',
  'GET /api/organizations/{organization}/settings/repositories',
]
