/** A session shows pages, and nothing else. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type Asking, type ForgeWorld, publicUrl, startForge } from '../serve/forge-world.ts'
import { login, submit, visit } from './browser.ts'

/** One of each kind that is no page. */
const routes: readonly (readonly [path: string, asking: Asking])[] = [
  ['/api/whoami-v2', {}],
  ['/api/whoami', {}],
  ['/api/models/acme/closed', {}],
  ['/api/models/acme/closed/tree/main', {}],
  ['/api/models/acme/closed/refs', {}],
  ['/api/models/acme/closed/commit/main', { body: [{ key: 'header', value: { summary: 'x' } }] }],
  ['/api/repos/create', { body: { name: 'x', organization: 'acme' } }],
  ['/api/repos/delete', { method: 'DELETE', body: { name: 'closed', organization: 'acme' } }],
  ['/api/models/acme/closed/storage-read-token/main', {}],
  ['/api/models/acme/closed/storage-write-token/main', {}],
  ['/acme/closed/resolve/main/a.txt', {}],
  ['/acme/closed.git/info/refs?service=git-upload-pack', {}],
  ['/acme/closed.git/git-upload-pack', { method: 'POST', body: {} }],
  ['/acme/closed.git/info/lfs/objects/batch', { body: { operation: 'download', objects: [] } }],
  ['/admin/repo/list', { body: {} }],
]

describe.skipIf(!isGitThere)('a login', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({ hidePrivateRepositories: true })
    await world.create('closed')
    await world.commit('closed', { 'a.txt': 'secret text', 'page.html': '<script>1</script>' })
  })
  afterAll(() => world?.stopped())

  // conformance: Forge / A login session opens only pages
  test('authorises no route but pages: its cookie is answered as no credential is', async () => {
    const cookie = await login(world, 'owner')
    expect((await visit(world, '/acme/closed', { cookie })).status).toBe(200)
    for (const [path, asking] of routes) {
      const [none, withCookie] = [
        await world.ask(path, asking),
        await world.ask(path, { ...asking, headers: { cookie } }),
      ]
      const seen = ({ status, json, headers }: typeof none) => [
        ...[path, status, headers.get('www-authenticate'), { ...json, requestId: undefined }],
      ]
      expect(seen(withCookie)).toEqual(seen(none))
      expect([path, none.status >= 400]).toEqual([path, true])
    }
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: publicUrl }],
    ['another host of the domain', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['the same host over another port', { origin: 'http://hub.example:81' }],
    ['no browser', {}],
  ])('takes no form from %s', async (_, headers) => {
    const token = world.tokenOf('owner')
    const answer = await submit(world, '/login', { token }, { headers })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([400, null])
    const cookie = await login(world, 'owner')
    expect((await submit(world, '/logout', {}, { cookie, headers })).status).toBe(400)
    expect((await visit(world, '/acme/closed', { cookie })).status).toBe(200)
  })

  test('takes a form of its own host where a browser says no more than the origin', async () => {
    const headers = { origin: new URL(world.hub.url).origin }
    const answer = await submit(world, '/login', { token: world.tokenOf('owner') }, { headers })
    expect(answer.status).toBe(303)
  })

  test.each([
    ['', 400, 'Paste a hub token.'],
    ['a b', 400, 'Paste a hub token.'],
    ['lk_nobody', 401, 'hub token'],
  ])('with %j is refused, and shows the form again', async (token, status, sentence) => {
    const answer = await submit(world, '/login', { token })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([status, null])
    expect(answer.text).toContain(sentence)
    expect(answer.text).toContain('<form method="post" action="/login">')
  })

  test('of more than 8 KiB is refused', async () => {
    expect((await submit(world, '/login', { token: 'x'.repeat(9000) })).status).toBe(413)
  })

  // biome-ignore format: a table is read by its columns
  test.each([
    ['https://evil.example/',      '/login'],
    ['//evil.example/a',           '/login'],
    ['/\\evil.example/a',          '/login'],
    ['/\\/evil.example/a',         '/login'],
    ['/%5cevil.example/a',         '/login'],
    ['/.evil.example/a%0d%0ax:y',  '/login'],
    ['javascript:alert(1)',        '/login'],
    ['/api/whoami-v2',             '/login'],
    ['/acme/closed/resolve/main/a.txt', '/login'],
    ['/logout',                    '/login'],
    ['/acme/closed',               '/acme/closed'],
    ['/acme/closed?x=y#z',         '/acme/closed'],
    ['/datasets/acme/pets/blob/main/a%20b/%C3%BC.txt', '/datasets/acme/pets/blob/main/a%20b/%C3%BC.txt'],
    ['/acme/closed/tree/feature%2Fx', '/acme/closed/tree/feature%2Fx'],
  ])('leads from %s to %s', async (next, location) => {
    const answer = await submit(world, '/login', { token: world.tokenOf('reader'), next })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, location])
  })

  test('gives a cookie that no script reads, no other site sends, and that has nothing of the hub token', async () => {
    const token = world.tokenOf('reader')
    const answer = await submit(world, '/login', { token }, { headers: { origin: publicUrl } })
    const set = answer.headers.get('set-cookie') ?? ''
    expect(set).toMatch(
      /^__Host-latchkey-session=[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(answer.text + set).not.toContain(token)
  })

  test('ends when it is said so', async () => {
    const cookie = await login(world, 'reader')
    const shown = await visit(world, '/login', { cookie })
    expect(shown.text).toContain('logged in as <strong>reader</strong>')
    const ended = await submit(world, '/logout', {}, { cookie })
    expect(ended.headers.get('set-cookie')).toContain('Max-Age=0;')
    expect((await visit(world, '/acme/closed', { cookie })).status).toBe(401)
  })

  test.each([
    ['is revoked', (hubToken: string) => world.done('hub-token revoke', { hubToken })],
    ['expires', async () => world.passSeconds(601)],
  ])('ends when its hub token %s', async (end, doEnd) => {
    const expiresAt = new Date((world.now() + 600) * 1000).toISOString()
    const wanted = { account: 'reader', name: end.replace(' ', '-'), kind: 'read', expiresAt }
    const made = await world.done('hub-token create', wanted)
    const { id, token } = made as { id: string; token: string }
    const opened = await submit(world, '/login', { token })
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    expect((await visit(world, '/acme/closed', { cookie })).status).toBe(200)
    await doEnd(id)
    const after = await visit(world, '/acme/closed', { cookie })
    const cleared = after.headers.get('set-cookie')
    expect([after.status, cleared]).toEqual([401, expect.stringContaining('Max-Age=0;')])
    expect(after.text).toContain('href="/login?next=%2Facme%2Fclosed"')
    expect((await visit(world, '/acme/closed', { cookie })).headers.get('set-cookie')).toBeNull()
  })

  test('of somebody who may not read a repository shows what it shows where there is none', async () => {
    const cookie = await login(world, 'stranger')
    const hidden = await visit(world, '/acme/closed', { cookie })
    const absent = await visit(world, '/acme/absent', { cookie })
    expect([hidden.status, absent.status]).toEqual([404, 404])
    expect(hidden.text.replaceAll('closed', 'absent')).toBe(absent.text)
    const headersOf = (answer: typeof hidden) =>
      [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    expect(headersOf(hidden)).toEqual(headersOf(absent))
  })

  test('downloads a file as a file, and only for a link of the pages', async () => {
    const cookie = await login(world, 'reader')
    const path = '/acme/closed/blob/main/page.html?download=1'
    const elsewhere = { 'sec-fetch-site': 'same-site' }
    expect((await visit(world, path, { cookie, headers: elsewhere })).status).toBe(400)
    expect((await visit(world, path)).status).toBe(401)
    const answer = await visit(world, path, {
      cookie,
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect([answer.status, answer.text]).toEqual([200, '<script>1</script>'])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })

  test('is limited as every wrong hub token is', async () => {
    const few = await startForge({ limits: { failuresPerMinute: 3 } })
    try {
      const answers = []
      for (let at = 0; at < 5; at += 1) answers.push(await submit(few, '/login', { token: 'lk_x' }))
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
      expect(answers.at(-1)?.headers.get('retry-after')).not.toBeNull()
    } finally {
      await few.stopped()
    }
  })
})
