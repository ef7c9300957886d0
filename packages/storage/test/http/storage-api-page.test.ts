import { readFileSync } from 'node:fs'
import { parseNormalPath, standardScope } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { type StorageParts, storageRows } from '../../src/http/storage-rows.ts'
import { operations, replyHeaders } from '../../src/openapi/operations.ts'
import { storageSchemas } from '../../src/openapi/schemas.ts'

const page = readFileSync(
  new URL('../../../../docs/reference/storage-api.md', import.meta.url),
  'utf8',
)

function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, after = ''] = page.split(heading)
  const [, table = ''] = /((?:^\|.*\n)+)/m.exec(after) ?? []
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
}

const wordsIn = (cell = '') => Array.from(cell.matchAll(/`([^`]+)`/g), ([, word = '']) => word)

/** `POST`, `PUT` `/v1/shards`; or `GET /v1/files/{hash}`. */
function routesIn(cell = ''): readonly string[] {
  const words = wordsIn(cell).flatMap((word) => word.split(' '))
  const path = words.find((word) => word.startsWith('/'))
  return words.filter((word) => word !== path).map((method) => `${method} ${path}`)
}

/** Without the blobs, which have a signed URL and no row. */
const shown = rowsUnder('# Storage API')
  .flatMap(([, routes, scope = '']) => routesIn(routes).map((route) => ({ route, scope })))
  .filter(({ scope }) => scope !== 'none')

const otherNames = new Map(
  rowsUnder('older clients use:').map(([, path, others]) => [wordsIn(path)[0], wordsIn(others)]),
)

test('the page of the storage API lists every route with every name, and no other', () => {
  const served = storageRows({} as StorageParts).map(({ method, path }) => `${method} ${path}`)
  const listed = shown.flatMap(({ route }) => {
    const [method, path] = route.split(' ')
    return [route, ...(otherNames.get(path) ?? []).map((other) => `${method} ${other}`)]
  })
  expect(listed.toSorted()).toEqual(served.toSorted())
})

test('the page of the storage API says the scope that the gate demands', () => {
  for (const { route, scope } of shown) {
    const [method = '', path = ''] = route.split(' ')
    const normal = parseNormalPath(path.replace('{hash}', '0'.repeat(64)).replace('{id}', 'abc'))
    if (normal === undefined) throw new Error(`${path} is not normal`)
    expect(standardScope(method, normal), route).toBe(scope)
  }
})

/** The names of members, and the constants that tell one object from another. */
function wordsOfSchema(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, const: word } = schema as { properties?: object; const?: string }
  const own = [...Object.keys(properties ?? {}), ...(word === undefined ? [] : [word])]
  return [...own, ...Object.values(schema).flatMap(wordsOfSchema)]
}

const code = Array.from(page.matchAll(/```\w*\n([^`]+)```|`([^`]+)`/g), ([, block, inline]) =>
  String(block ?? inline),
).join('\n')

test('the page of the storage API shows every member of every JSON body', () => {
  const members = wordsOfSchema(storageSchemas)
  expect(members.length).toBeGreaterThan(30)
  const missing = members.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))
  expect([...new Set(missing)]).toEqual([])
})

test('the page of the storage API has every code and header of every operation', () => {
  const all = Object.values(operations)
  const parameters = all.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name))
  const codes = all.flatMap(({ refusals }) => Object.keys(refusals))
  const words = [...codes, ...parameters, ...Object.keys(replyHeaders)]
  const missing = words.filter((word) => !code.toLowerCase().includes(word.toLowerCase()))
  expect([...new Set(missing)]).toEqual([])
})
