/** Who gets the page of a service, and what stands on it. */

import { createHash } from 'node:crypto'
import { refuse } from '@latchkey/protocol'
import { inject } from '@latchkey/testing/http/inject'
import { expect, test } from 'vitest'
import { type FrontPage, pageBefore } from '../src/http/page.ts'
import { pooledRandom } from '../src/machine/random.ts'

const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const shop: FrontPage = {
  name: 'shop',
  about: 'This shop sells <keys> & "locks".',
  watched: { isReady: () => true, notReady: 'The shop has no keys.' },
  document: 'docs/shop.md',
}

function open(change: Partial<FrontPage> = {}) {
  const failures: unknown[] = []
  const rest = (_: unknown, response: { end(text: string): unknown }) => response.end('the rest')
  const serve = pageBefore(
    rest,
    { ...shop, ...change },
    {
      name: 'shop',
      randomBytes: pooledRandom(),
      notFound: () => refuse('not_found', 'No such shelf.'),
      logFailure: (error) => failures.push(error),
    },
  )
  const ask = (url: string, headers: Record<string, string>, method = 'GET') =>
    inject(serve, { url, headers, method })
  return { ask, failures }
}

test.each([
  ['another path', '/x', { accept: html }, 'GET'],
  ['a query', '/?x', { accept: html }, 'GET'],
  ['an empty query', '/?', { accept: html }, 'GET'],
  ['two slashes', '//', { accept: html }, 'GET'],
  ['an authority', 'http://shop.example/', { accept: html }, 'GET'],
  ['a POST', '/', { accept: html }, 'POST'],
  ['OPTIONS', '/', { accept: html }, 'OPTIONS'],
  ['no Accept', '/', {}, 'GET'],
  ['a program that accepts everything', '/', { accept: '*/*' }, 'GET'],
  ['a program that wants JSON', '/', { accept: 'application/json' }, 'GET'],
  ['HTML that is not accepted', '/', { accept: 'text/html;q=0.000, */*' }, 'GET'],
  ['a word that only contains it', '/', { accept: 'text/html5' }, 'GET'],
  ['a request with a credential', '/', { accept: html, authorization: 'Bearer x' }, 'GET'],
])('is no page, but what it was before: %s', async (_, url, headers, method) => {
  expect((await open().ask(url, headers, method)).body).toBe('the rest')
})

test('a service that is not ready says so with 503, and why', async () => {
  const { ask } = open({ watched: { ...shop.watched, isReady: async () => false } })
  const { statusCode, body } = await ask('/', { accept: html })
  expect(statusCode).toBe(503)
  expect(body).toContain('<strong>Not ready.</strong> The shop has no keys.')
  expect(body).not.toContain('class="state ready"')
})

test('a state that cannot be read is a refusal, and its reason goes to the log alone', async () => {
  const isReady = async () => {
    throw new Error('secret reason')
  }
  const { ask, failures } = open({ watched: { ...shop.watched, isReady } })
  const { statusCode, body } = await ask('/', { accept: html })
  expect(statusCode).toBe(500)
  expect(body).not.toContain('secret reason')
  expect(failures).toEqual([new Error('secret reason')])
})

test('a page is made anew for every request', async () => {
  let isReady = false
  const { ask } = open({ watched: { ...shop.watched, isReady: () => isReady } })
  expect((await ask('/', { accept: html })).statusCode).toBe(503)
  isReady = true
  expect((await ask('/', { accept: html })).statusCode).toBe(200)
})

// conformance: Operation / The page at / shows little and runs no script
test('words of /readyz are shown, and its numbers are not', async () => {
  const { ask } = open({
    watched: {
      ...shop.watched,
      says: () => ({ hub: 'linked', revocations: { seq: 4711 } }),
      companions: { storage: { isReady: async () => false, metricsText: async () => '' } },
    },
  })
  const { statusCode, body } = await ask('/', { accept: html })
  expect(statusCode).toBe(200)
  expect(body).toContain('<strong>Ready.</strong>')
  expect(body).toContain('<br>hub: linked<br>storage: down')
  expect(body).not.toMatch(/4711|revocations/)
})

test('text is escaped, also in attributes', async () => {
  const links = [{ href: 'a"b', about: '<i>' }]
  const { body } = await open({ links, commands: ["say 'x' > y"] }).ask('/', { accept: html })
  expect(body).toContain('This shop sells &lt;keys&gt; &amp; &quot;locks&quot;.')
  expect(body).toContain('<a href="a&quot;b">a&quot;b</a>: &lt;i&gt;')
  expect(body).toContain('say &#39;x&#39; &gt; y')
})

test('nothing but its own style is allowed on it, and nothing keeps or frames it', async () => {
  const { headers, body } = await open().ask('/', { accept: html })
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(body) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    vary: 'Accept',
  })
  expect(body).not.toMatch(/<script|https?:|\bon\w+=/i)
})

test('HEAD gets the headers of the page without the page', async () => {
  const { ask } = open()
  const [head, get] = [
    await ask('/', { accept: html }, 'HEAD'),
    await ask('/', { accept: html }, 'GET'),
  ]
  expect([head.statusCode, head.body]).toEqual([200, ''])
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.body))
})
