import { isRefusal, refuse } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RouteRow, routeTable, type SegmentReaders } from '../src/http/routes.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300

function row(line: string, more: Partial<RouteRow> = {}): RouteRow {
  const [method, path = ''] = line.split(' ')
  return { method: method as RouteRow['method'], path, ...more }
}

/** The path and the values of the row that serves a request, or the methods that would be served. */
function finder<Values>(rows: readonly RouteRow[], readers: SegmentReaders<Values> = {}) {
  const find = routeTable(rows, readers)
  return (method: string, target: string): unknown => {
    const found = find(method, target)
    if (found === undefined) return undefined
    if (isRefusal(found)) return found.allow ?? found.code
    return [`${found.row.method} ${found.row.path}`, found.values]
  }
}

const word = fc.constantFrom('a', 'b', '%61', '{x}', '..', '')
const somePath = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .map((words) => `/${words.join('/')}`)
const somePattern = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '{}'), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([words, isOpen]) => {
    const named = words.map((one, at) => (one === '{}' ? `{n${at}}` : one))
    return `/${[...named, ...(isOpen ? ['{rest...}'] : [])].join('/')}`
  })
const someRows = fc.array(
  fc.record({ method: fc.constantFrom('GET', 'HEAD', 'PUT', 'ANY'), path: somePattern }),
  { maxLength: 8 },
) as fc.Arbitrary<RouteRow[]>

/** What the table means, as expressions. */
function shapeOf({ path }: RouteRow): string {
  const open = path.replace(/\/\{rest\.{3}\}$/, '(?:/.*)?')
  return `^${open.replace(/\{\w+\}/g, '[^/]+')}$`
}

test('a row is found by its raw path and its method, and the first of several counts', () => {
  fc.assert(
    fc.property(
      someRows,
      fc.constantFrom('GET', 'HEAD', 'PUT', 'POST'),
      somePath,
      (rows, method, path) => {
        const shape = rows.map(shapeOf).find((one) => new RegExp(one).test(path))
        const here = rows.filter((one) => shapeOf(one) === shape)
        const served = here.find(
          (one) => ['ANY', method].includes(one.method) || `${one.method} ${method}` === 'GET HEAD',
        )
        const found = routeTable(rows)(method, path)
        if (shape === undefined) expect(found).toBeUndefined()
        else if (served === undefined) expect(found).toMatchObject({ code: 'method_not_allowed' })
        else expect(found).toMatchObject({ row: served })
      },
    ),
    { numRuns: runs },
  )
})

test('a value is what stands in the path, with nothing decoded', () => {
  const find = finder([row('GET /x/{one}/y/{more...}')])
  fc.assert(
    fc.property(
      word.filter((one) => one !== ''),
      somePath,
      (one, more) => {
        expect(find('GET', `/x/${one}/y${more}?z=/y`)).toEqual([
          'GET /x/{one}/y/{more...}',
          { one, more: more.slice(1) },
        ])
      },
    ),
    { numRuns: runs },
  )
})

describe('with rows of every kind', () => {
  const find = finder<{ hash: number; name: string; rest: string }>(
    [
      row('GET /'),
      row('GET /names'),
      row('POST /names'),
      row('HEAD /names/{name}'),
      row('GET /names/{name}'),
      row('PUT /names/{name}/all'),
      row('GET /hashes/{hash}'),
      row('DELETE /hashes/{hash}'),
      row('GET /hashes/{name}/none'),
      row('GET /query', { when: (target) => target.endsWith('?service=pull') }),
      row('GET /query', { when: (target) => target.endsWith('?service=push') }),
      row('ANY /names/{rest...}'),
    ],
    { hash: (raw) => (raw === 'bad' ? refuse('bad_request', 'Bad.') : Number(raw) || undefined) },
  )
  test.each([
    ['GET', '/', ['GET /', {}]],
    ['HEAD', '/names', ['GET /names', {}]],
    ['PUT', '/names', 'GET, HEAD, POST'],
    ['get', '/names', 'GET, HEAD, POST'],
    ['HEAD', '/names/a', ['HEAD /names/{name}', { name: 'a' }]],
    ['GET', '/names/a?b', ['GET /names/{name}', { name: 'a' }]],
    ['PUT', '/names/a', 'HEAD, GET'],
    ['GET', '/names/a/all', 'PUT'],
    ['GET', '/names/a/b', ['ANY /names/{rest...}', { rest: 'a/b' }]],
    ['PUT', '/names/', ['ANY /names/{rest...}', { rest: '' }]],
    ['GET', '/n%61mes', undefined],
    ['GET', '//names', undefined],
    ['GET', '*', undefined],
    ['GET', 'http://hub.example/names', ['GET /names', {}]],
    ['GET', '/query?service=pull', ['GET /query', {}]],
    ['GET', '/hashes/7', ['GET /hashes/{hash}', { hash: 7 }]],
    ['GET', '/hashes/x', undefined],
    ['PUT', '/hashes/x', undefined],
    ['GET', '/hashes/bad', 'bad_request'],
    ['PUT', '/hashes/bad', 'GET, HEAD, DELETE'],
    ['GET', '/hashes/x/none', ['GET /hashes/{name}/none', { name: 'x' }]],
  ])('%s %s', (method, target, found) => {
    expect(find(method, target)).toEqual(found)
  })
})

test('a refused method is told in the words of the row', () => {
  const wrongMethod = (allow: string) => `Only ${allow}!`
  const found = routeTable([row('GET /x', { wrongMethod })])('PUT', '/x')
  expect(found).toMatchObject({ detail: 'Only GET, HEAD!' })
})

test('a path of many segments is matched at once', () => {
  const rows = Array.from({ length: 12 }, (_, at) => row(`GET ${'/{a}'.repeat(at)}/a`))
  const find = routeTable(rows)
  const start = performance.now()
  for (let at = 0; at < 100; at += 1) find('GET', '/a'.repeat(8000))
  expect(performance.now() - start).toBeLessThan(1000)
})
