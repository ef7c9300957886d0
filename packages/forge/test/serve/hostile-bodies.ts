/** Bodies that are slow to read, for every route of the tables: a route without a row here fails the test that counts them. */

import { filled, type HostileRequest } from '@latchkey/testing/stalls/hostile-request'
import { everyRoute, routesOfTables } from './every-route.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const kib = 1024

interface HostileBody {
  readonly type: string
  readonly body: string
}

/** Each object has a shape of its own: nothing is slower to parse. */
const shapes = (bytes: number, member = 'files'): HostileBody => ({
  type: json,
  body: `{"${member}":[${filled(bytes, (at) => `{"k${at.toString(36)}":1}`)}]}`,
})
const pairs = (bytes: number): HostileBody => ({
  type: form,
  body: filled(bytes, () => 'paths=%61%2F%61', '&'),
})

/** Just below the bounds of routes, and far above. */
const usual: readonly HostileBody[] = [
  shapes(60 * kib),
  shapes(250 * kib),
  shapes(4000 * kib),
  pairs(1000 * kib),
]

const part = 'a'.repeat(250)
const deepPaths = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at}${part}/${part}/${part}`)
const files = (paths: readonly string[]) => paths.map((path) => ({ path, size: 5, sample: 'YQ==' }))
const asJson = (value: object): HostileBody => ({ type: json, body: JSON.stringify(value) })
const asLines = (lines: readonly object[]): HostileBody => ({
  type: 'application/x-ndjson',
  body: lines.map((line) => JSON.stringify(line)).join('\n'),
})
const header = { key: 'header', value: { summary: 'x', description: '\n'.repeat(60_000) } }
const file = (content: string, encoding: string) => ({
  ...{ key: 'file', value: { path: 'a', content, encoding } },
})

/** Beside the usual ones. */
const own: Readonly<Record<string, readonly HostileBody[]>> = {
  'POST /api/validate-yaml': [
    asJson({ content: `---\na: [${'1,'.repeat(100_000)}]\n---\n` }),
    asJson({ content: `---\n${'\n'.repeat(1_000_000)}` }),
  ],
  'POST /api/{repo}/paths-info/{revision...}': [
    {
      type: form,
      body: deepPaths(1000)
        .map((path) => `paths=${path}`)
        .join('&'),
    },
    { type: form, body: `paths=${'%61'.repeat(300_000)}` },
    // Plus signs are the slowest to decode: in many pairs, and in one that is far above the bound.
    { type: form, body: filled(1000 * kib, () => `paths=${'+'.repeat(1020)}`, '&') },
    { type: form, body: `paths=${'+'.repeat(8000 * kib)}` },
    asJson({ paths: deepPaths(300) }),
  ],
  'POST /api/{repo}/preupload/{revision...}': [
    shapes(1000 * kib),
    asJson({ files: files(deepPaths(1000)), gitIgnore: 'a*b\n'.repeat(5000) }),
    asJson({ files: files(['x']), gitAttributes: '* a\n'.repeat(250_000) }),
  ],
  'POST /api/{repo}/commit/{revision...}': [
    asLines([header, file('a'.repeat(4_000_000), 'base64')]),
    asLines([header, file('é"\\'.repeat(120_000), 'utf-8')]),
    asLines([header, ...deepPaths(4000).map((path) => ({ key: 'deletedFile', value: { path } }))]),
    asLines([
      header,
      ...deepPaths(500).map((path) => ({
        ...{ key: 'file', value: { path, content: '', encoding: 'utf-8' } },
      })),
    ]),
  ],
  'POST /api/{repo}/tag/{revision...}': [asJson({ tag: 'v-new', message: '\n'.repeat(65_000) })],
  'POST /{repo}.git/git-upload-pack': [
    {
      type: 'application/x-git-upload-pack-request',
      body: `0032want ${'a'.repeat(40)}\n`.repeat(20_000),
    },
  ],
  'POST /{repo}.git/git-receive-pack': [
    {
      type: 'application/x-git-receive-pack-request',
      body: `${'000dshallow x'.repeat(60_000)}0000`,
    },
  ],
  'POST /{repo}.git/info/lfs/objects/batch': [
    asJson({
      ...{ operation: 'download', transfers: ['basic'] },
      objects: Array.from({ length: 500 }, (_, at) => ({
        ...{ oid: at.toString(16).padStart(64, '0'), size: 5 },
      })),
    }),
    { type: json, body: `{"operation":"download","objects":[${'{},'.repeat(80_000)}{}]}` },
  ],
}

/** A list with what the files of its repositories tell. */
const list = { route: 'GET /api/models', path: '/api/models?author=acme&full=true' }

export function hostileRoutes(): readonly string[] {
  return [...routesOfTables(), list.route]
}

/** By their routes. The repository has hostile content, too. */
const targets: ReadonlyMap<string, string> = new Map([
  [list.route, list.path] as const,
  ...everyRoute({ name: 'hostile', path: 'README.md' }).map(
    ({ route, path }) => [route, path] as const,
  ),
])

/** Empty for a route that has no row. GET requests get a long query. */
export function hostileRequests(route: string): readonly HostileRequest[] {
  const path = targets.get(route)
  if (path === undefined) return []
  const [method = 'GET'] = route.replace(/^ANY/, 'GET').split(' ')
  const query = `${path.includes('?') ? '&' : '?'}${filled(7 * kib, () => 'a=%61', '&')}`
  if (method === 'GET') return [{ method, path: path + query }]
  const bodies = [...usual, ...(own[route] ?? [])]
  return bodies.map(({ type, body }) => ({ method, path, type, body }))
}

export function ordinaryRequests(route: string): readonly HostileRequest[] {
  const found = everyRoute({ name: 'plain' }).find((one) => one.route === route)
  const [method = 'GET'] = route.replace(/^ANY/, 'GET').split(' ')
  if (found === undefined || method === 'DELETE') return []
  const { path, asking } = found
  return [{ method, path, type: json, body: JSON.stringify(asking.body) ?? '' }]
}
