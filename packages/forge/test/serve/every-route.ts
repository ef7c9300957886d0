/** A request for every route of the tables: a route without one here fails the test that counts them. */

import { infoRow, plainRows, repoRows } from '../../src/addresses/read-api-address.ts'
import { gitRows } from '../../src/addresses/read-git-address.ts'
import { fileViews, folderViews } from '../../src/addresses/read-page-address.ts'
import { unservedOfRepo, unservedRows, unservedViews } from '../../src/addresses/unserved.ts'
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

/** Their readers take a name out of the address, so no table has them. */
const routesWithNames: readonly string[] = [
  'GET /api/organizations/{namespace}/settings/repositories',
  'GET /{repo}.git/info/lfs/objects/{oid}',
  'PUT /{repo}.git/info/lfs/objects/{oid}',
  'POST /{repo}.git/info/lfs/locks/{id}/unlock',
]

/** The keys of all tables, and the routes beside them. */
export function routesOfTables(): readonly string[] {
  const rows = (
    start: string,
    table: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) =>
    Object.entries(table).flatMap(([word, methods]) =>
      Object.keys(methods).map((method) => `${method} ${start}${word}`),
    )
  return [
    ...rows('/api/', plainRows),
    ...rows('/api/{repo}', { '': infoRow }),
    ...rows('/api/{repo}/', repoRows),
    ...rows('/{repo}.git/', gitRows),
    ...['', ...folderViews, ...fileViews].map((view) => `GET /{repo}/${view}`),
    ...Object.keys(unservedOfRepo).map((word) => `GET /api/{repo}/${word}`),
    ...Object.keys(unservedViews).map((view) => `GET /{repo}/${view}`),
    ...routesWithNames,
  ]
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
    ['GET /api/whoami-v2',                         '/api/whoami-v2'],
    ['POST /api/validate-yaml',                    '/api/validate-yaml',                { content: 'a: b' }],
    ['GET /api/settings/repositories',             '/api/settings/repositories'],
    ['GET /api/organizations/{namespace}/settings/repositories', '/api/organizations/acme/settings/repositories'],
    ['POST /api/repos/create',                     '/api/repos/create',                 named],
    ['DELETE /api/repos/delete',                   '/api/repos/delete',                 named],
    ['GET /api/{repo}',                            api],
    ['GET /api/{repo}/revision',                   `${api}/revision/${revision}`],
    ['GET /api/{repo}/tree',                       `${api}/tree/${revision}?recursive=1`],
    ['POST /api/{repo}/paths-info',                `${api}/paths-info/${revision}`,     { paths: [path] }],
    ['GET /api/{repo}/refs',                       `${api}/refs?include_prs=1`],
    ['GET /api/{repo}/commits',                    `${api}/commits/${revision}`],
    ['POST /api/{repo}/preupload',                 `${api}/preupload/${revision}`,      files],
    ['POST /api/{repo}/commit',                    `${api}/commit/${revision}`,         lines],
    ['POST /api/{repo}/branch',                    `${api}/branch/ci%2Fnew`,            { startingPoint: decodeURIComponent(revision) }],
    ['DELETE /api/{repo}/branch',                  `${api}/branch/${revision}`],
    ['POST /api/{repo}/tag',                       `${api}/tag/${revision}`,            { tag: 'v-new' }],
    ['DELETE /api/{repo}/tag',                     `${api}/tag/${revision}`],
    ['GET /api/{repo}/discussions',                `${api}/discussions`],
    ['POST /api/{repo}/discussions',               `${api}/discussions`,                { title: 'a proposal', pullRequest: true }],
    ['GET /api/{repo}/auth-check',                 `${api}/auth-check`],
    ['GET /{repo}.git/info/refs',                  `${git}/info/refs?service=git-upload-pack`],
    ['POST /{repo}.git/git-upload-pack',           `${git}/git-upload-pack`,            {}],
    ['POST /{repo}.git/git-receive-pack',          `${git}/git-receive-pack`,           {}],
    ['POST /{repo}.git/info/lfs/objects/batch',    `${git}/info/lfs/objects/batch`,     { operation: 'download', transfers: ['basic'], objects: [object] }],
    ['POST /{repo}.git/info/lfs/verify',           `${git}/info/lfs/verify`,            object],
    ['GET /{repo}.git/info/lfs/locks',             `${git}/info/lfs/locks`],
    ['POST /{repo}.git/info/lfs/locks',            `${git}/info/lfs/locks`,             { path }],
    ['POST /{repo}.git/info/lfs/locks/verify',     `${git}/info/lfs/locks/verify`,      {}],
    ['GET /{repo}.git/info/lfs/objects/{oid}',     `${git}/info/lfs/objects/${object.oid}?proof=x`],
    ['PUT /{repo}.git/info/lfs/objects/{oid}',     `${git}/info/lfs/objects/${object.oid}`, {}],
    ['POST /{repo}.git/info/lfs/locks/{id}/unlock', `${git}/info/lfs/locks/1/unlock`,   {}],
    ['GET /{repo}/',                               page],
    ['GET /{repo}/tree',                           `${page}/tree/${revision}`],
    ['GET /{repo}/commits',                        `${page}/commits/${revision}`],
    ['GET /{repo}/commit',                         `${page}/commit/${revision}`],
    ['GET /{repo}/resolve',                        `${page}/resolve/${revision}/${path}`],
    ['GET /{repo}/raw',                            `${page}/raw/${revision}/${path}`],
    ['GET /{repo}/blob',                           `${page}/blob/${revision}/${path}`],
  ]
  const unserved = [
    ...Object.keys(unservedOfRepo).map((word) => [`GET /api/{repo}/${word}`, `${api}/${word}`]),
    ...Object.keys(unservedViews).map((word) => [`GET /{repo}/${word}`, `${page}/${word}/1`]),
  ] as const
  return [...questions, ...unserved].map(([route = '', target = '', body]) => {
    const [method = 'GET'] = route.split(' ')
    return { route, path: target, asking: { method, ...(typeof body === 'object' && { body }) } }
  })
}

/** Rows that name no repository, as addresses. */
export const unservedTargets: readonly string[] = unservedRows.map(
  ([pattern]) => `/${pattern.replaceAll('**', 'any/thing').replaceAll('*', 'acme')}`,
)

/** Routes that name no repository. */
export const ofNoRepository: readonly string[] = [
  'GET /api/whoami-v2',
  'POST /api/validate-yaml',
  'GET /api/settings/repositories',
  'GET /api/organizations/{namespace}/settings/repositories',
]
