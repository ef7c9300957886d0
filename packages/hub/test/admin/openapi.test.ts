import { openApiDocument, verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'
import { pretendedToken } from '../revocation/pretended-token.ts'
import { hash, openDirectory } from '../verbs/open-directory.ts'

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly tags: string[]
  readonly security: object[]
  readonly parameters?: { name: string; in: string; required: boolean; schema: object }[]
  readonly requestBody?: {
    content: Record<string, { schema: { properties: object; required: string[] } }>
  }
  readonly responses: Record<string, { description: string }>
}

const document = openApiDocument({ publicUrl: 'https://hub.example', version: '1.2.3' })
const routes = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Described,
  })),
)

test('the document says what it is and where it is served', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Latchkey', version: '1.2.3' },
    servers: [{ url: 'https://hub.example' }],
  })
})

test('every verb is described, and beside them only what the hub serves itself', () => {
  const expected = verbs.map(
    ({ method, path }) =>
      `${method.toLowerCase()} /admin/v1${path.replace('{repository}', '{repositoryType}/{namespace}/{name}')}`,
  )
  const found = routes.map(({ method, path }) => `${method} ${path}`)
  const others = found.filter((route) => !expected.includes(route))
  expect(expected.filter((route) => !found.includes(route))).toEqual([])
  expect(others).toEqual([
    'get /api/{repositoryType}/{namespace}/{name}/storage-{scope}-token/{revision}',
    'get /api/whoami',
    'post /revoke',
    'get /.well-known/jwks.json',
    'get /.well-known/storage-revocation-keys',
    'get /.well-known/storage-revocations',
    'get /.well-known/storage-revocations/{list}',
    'get /openapi.json',
    'get /healthz',
    'get /readyz',
    'get /metrics',
    'get /link/v1/changes',
    'get /link/v1/quotas',
    'post /link/v1/epochs',
    'post /link/v1/places',
    'post /link/v1/forge/{question}',
  ])
})

test('every operation has a name of its own, a summary, a known tag and its answers', () => {
  const names = routes.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  const tags = (document['tags'] as { name: string }[]).map(({ name }) => name)
  for (const { operation } of routes) {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
    expect(operation.summary).toMatch(/\.$/)
    expect(tags).toEqual(expect.arrayContaining(operation.tags))
    expect(Object.keys(operation.responses)).toContainEqual(expect.stringMatching(/^20[012]$/))
    for (const { description } of Object.values(operation.responses)) {
      expect(description).not.toBe('')
    }
  }
})

test('every placeholder of a path is a required parameter, and the reverse', () => {
  for (const { path, operation } of routes) {
    const placeholders = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(placeholders)
    expect(inPath.every(({ required }) => required)).toBe(true)
  }
})

test('every member of an input is in the path, the query or the body, once', () => {
  for (const verb of verbs) {
    const path = `/admin/v1${verb.path.replace('{repository}', '{repositoryType}/{namespace}/{name}')}`
    const method = verb.method.toLowerCase()
    const route = routes.find((route) => route.path === path && route.method === method)
    const body = route?.operation.requestBody?.content['application/json']?.schema
    const places = [
      ...(verb.path.includes('{repository}') ? ['repository'] : []),
      ...(route?.operation.parameters ?? [])
        .map(({ name }) => name)
        .filter((name) => verb.path.includes(`{${name}}`) || name in verb.input.shape)
        .filter((name) => name !== 'name'),
      ...Object.keys(body?.properties ?? {}),
    ]
    const members = Object.keys(verb.input.shape)
    expect([verb.words, places.toSorted()]).toEqual([verb.words, members.toSorted()])
  }
})

/** Names that lead nowhere in an empty directory, and whatever else a verb cannot do without. */
const leadingNowhere: Readonly<Record<string, unknown>> = {
  account: 'nobody',
  namespace: 'nowhere',
  team: 'none',
  group: 'none',
  repository: 'models/nowhere/nothing',
  hubToken: 'a'.repeat(26),
  kid: 'a'.repeat(43),
  forge: 'a'.repeat(26),
  file: { hubTokens: [{ account: 'nobody', name: 'ci', kind: 'read' }] },
  name: 'new',
  ref: 'main',
  role: 'read',
  publisher: 'release',
  preset: 'github',
  contents: 'read',
  claims: ['repository_id=74'],
  payload: '{}',
  provider: 'corp',
  issuer: 'https://login.example',
  subject: 'nobody-1',
  pattern: 'main',
  write: 'admin',
  hash: hash(1),
  commit: hash(1),
  scope: 'read',
  token: pretendedToken(),
  updates: [],
  to: 'default',
  step: 'cancel',
}

test.each(verbs.map((verb) => [verb.words, verb] as const))(
  'the answer 404 is listed for "%s" if it can be given, and only then',
  async (words, { input, method, path }) => {
    const members = Object.entries(leadingNowhere).filter(([member]) => member in input.shape)
    const kind = words === 'hub-token create' ? { kind: 'read' } : {}
    const answer = await (await openDirectory()).run(words, {
      ...Object.fromEntries(members),
      ...kind,
    })
    const operation = operationOf(method, path)
    expect(answer['code']).toBe('404' in operation.responses ? 'resource_not_found' : undefined)
  },
)

test('every verb lists that it can be asked too often', () => {
  for (const { method, path } of verbs) {
    expect(operationOf(method, path).responses).toHaveProperty('429')
  }
})

test('a hub that is not ready answers as every refusal does', () => {
  const ready = routes.find(({ path }) => path === '/readyz')
  expect(ready?.operation.responses['503']).toHaveProperty(['content', 'application/problem+json'])
})

function operationOf(method: string, path: string): Described {
  const full = `/admin/v1${path.replace('{repository}', '{repositoryType}/{namespace}/{name}')}`
  const found = routes.find((route) => route.path === full && route.method === method.toLowerCase())
  if (found === undefined) throw new Error(`${method} ${full} is not described`)
  return found.operation
}

test('every reference leads somewhere', () => {
  const schemas = (document['components'] as { schemas: object }).schemas
  for (const [, name = ''] of JSON.stringify(document).matchAll(
    /"\$ref":"#\/components\/schemas\/(\w+)"/g,
  )) {
    expect(schemas).toHaveProperty(name)
  }
  expect(JSON.stringify(document).match(/"\$ref":"/g)?.length).toBe(
    JSON.stringify(document).match(/"\$ref":"#\/components\/schemas\//g)?.length,
  )
})

test('only what needs no hub token is described without one', () => {
  const open = routes.filter(({ operation }) => operation.security.length === 0)
  expect(open.map(({ path }) => path)).toEqual([
    '/revoke',
    '/.well-known/jwks.json',
    '/.well-known/storage-revocation-keys',
    '/.well-known/storage-revocations',
    '/.well-known/storage-revocations/{list}',
    '/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
  ])
})

test('the document is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})
