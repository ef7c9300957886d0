/** A session shows pages, and nothing else. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type Asking, type ForgeWorld, startForge } from '../serve/forge-world.ts'
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
      'content-security-policy': expect.stringContaining("default-src 'none'; sandbox"),
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
  })
})
