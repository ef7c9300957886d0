/** The OpenAPI document of the storage describes the routes of its table, and no others. */

import { parseNormalPath, standardScope } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type StorageParts, storageRows } from '../../src/http/storage-rows.ts'
import { storageDocument } from '../../src/openapi/storage-document.ts'
import { type DescribedDocument, schemasOf } from './described-responses.ts'

const rows = storageRows({} as StorageParts)
const casUrl = 'https://cas.example/r/{repo}/{ref}'
const document = storageDocument({
  ...{ casUrl, version: '1.2.3', rows },
}) as unknown as DescribedDocument

const operations = Object.entries(document.paths).flatMap(([path, { servers, ...item }]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, servers, operation })),
)

/** Without a row: the routes beside the places, and the blobs. */
const others = [
  'GET /blobs/{hash}',
  ...['GET /openapi.json', 'GET /healthz', 'GET /readyz', 'GET /metrics'],
]

test('the document has every route of the table under every name, and no other', () => {
  const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const served = rows.map(({ method, path }) => `${method} ${path}`)
  expect(described.toSorted()).toEqual([...served, ...others].toSorted())
})

test('the server is the URL that comes with a token, with variables for its places', () => {
  expect(document.servers).toEqual([
    { url: casUrl, variables: { repo: expect.anything(), ref: expect.anything() } },
  ])
  const plain = storageDocument({ casUrl: 'https://cas.example/one', version: '1', rows })
  expect(plain['servers']).toEqual([{ url: 'https://cas.example/one' }])
})

test('routes for operators have the origin of the storage as their server', () => {
  const own = operations.filter(({ servers }) => servers !== undefined)
  expect(own.map(({ path }) => `GET ${path}`)).toEqual(others.slice(1))
  expect(own[0]?.servers).toEqual([{ url: 'https://cas.example' }])
})

describe.each(operations)('$method $path', ({ method, path, operation }) => {
  test('has an id of its own, a summary, a tag, and responses with a description', () => {
    const { operationId, summary, tags, responses } = operation
    const same = operations.filter((other) => other.operation.operationId === operationId)
    expect(same.length).toBe(1)
    expect(summary).toMatch(/\.$/)
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]))
    for (const response of Object.values(responses)) {
      expect(response.$ref ?? response.description).toBeTruthy()
    }
  })

  test('has the placeholders of its path as parameters, and no others', () => {
    const placeholders = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name, required }) => [name, required])).toEqual(
      placeholders.map((name) => [name, true]),
    )
  })

  test('needs the scope that the gate demands, or no token', () => {
    if (others.includes(`GET ${path}`)) return expect(operation.security).toEqual([])
    const normal = parseNormalPath(path.replace('{hash}', '0'.repeat(64)).replace('{id}', 'a'))
    if (normal === undefined) throw new Error(`${path} is not normal`)
    const scope = standardScope(method.toUpperCase(), normal)
    expect(operation.security).toEqual([{ storageToken: [scope] }])
  })
})

test('other names of a route are deprecated, and its first name is not', () => {
  const isAlias = (path: string) => rows.every(({ canonicalPath }) => canonicalPath !== path)
  const served = operations.filter(({ path }) => !others.includes(`GET ${path}`))
  for (const { path, operation } of served) {
    expect(operation.deprecated ?? false, path).toBe(isAlias(path))
  }
})

test('every schema is valid, and every reference leads somewhere', () => {
  const schemas = schemasOf(document)
  for (const name of Object.keys(document.components.schemas)) {
    expect(schemas.getSchema(`#/components/schemas/${name}`), name).toBeDefined()
  }
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)
  for (const [, kind = '', name = ''] of references) {
    expect(document.components).toHaveProperty([kind, name])
  }
})
