/** Repositories are listed to those who may read them, page by page. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, publicUrl, startForge, type Who } from './forge-world.ts'

describe.skipIf(!isGitThere)('a hub with a forge lists repositories', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({
      anonymousPublicRead: true,
      cors: { origins: ['https://app.example'] },
    })
    for (const name of ['a', 'b', 'c']) await world.create(name)
    await world.create('Open-one', { private: false })
    await world.create('d', { organization: 'other' })
    await world.create('pets', { type: 'dataset' })
  })
  afterAll(() => world?.stopped())

  const ids = (json: readonly { readonly id: string }[]) => json.map(({ id }) => id)
  const list = async (path: string, as?: Who) => {
    const found: string[] = []
    for (let next = path; next !== ''; ) {
      const { status, json, headers } = await world.ask(next, { as })
      expect(status).toBe(200)
      found.push(...ids(json))
      const link = headers.get('link') ?? ''
      next = link.slice(1, Math.max(1, link.indexOf('>'))).replace(publicUrl, '')
    }
    return found
  }

  // biome-ignore format: a table is read by its columns
  test.each<[who: Who | undefined, path: string, found: readonly string[]]>([
    ['owner',    '/api/models',                          ['acme/Open-one', 'acme/a', 'acme/b', 'acme/c', 'other/d']],
    ['owner',    '/api/models?limit=2',                  ['acme/Open-one', 'acme/a', 'acme/b', 'acme/c', 'other/d']],
    ['owner',    '/api/models?author=other',             ['other/d']],
    ['owner',    '/api/models?author=absent',            []],
    ['owner',    '/api/models?author=acme%2Fa',          []],
    ['owner',    '/api/models?search=open&sort=likes',   ['acme/Open-one']],
    ['owner',    '/api/datasets',                        ['acme/pets']],
    ['owner',    '/api/spaces',                          []],
    ['reader',   '/api/models?limit=1',                  ['acme/Open-one', 'acme/a', 'acme/b', 'acme/c']],
    ['stranger', '/api/models',                          ['acme/Open-one']],
    ['stranger', '/api/models?limit=1',                  ['acme/Open-one']],
    [undefined,  '/api/models',                          ['acme/Open-one']],
    ['reader',   '/api/organizations/acme/settings/repositories',  ['acme/Open-one', 'acme/a', 'acme/b', 'acme/c', 'acme/pets']],
    ['reader',   '/api/organizations/other/settings/repositories', []],
    ['reader',   '/api/organizations/none/settings/repositories',  []],
    ['reader',   '/api/settings/repositories',                     []],
  ])('to %s at %s', async (who, path, found) => {
    expect((await list(path, who)).toSorted()).toEqual(found.toSorted())
  })

  test('with what clients read of them, and no name of a hidden one in a cursor', async () => {
    const { json, headers } = await world.ask('/api/models?author=acme&limit=2', { as: 'reader' })
    const sha = expect.stringMatching(/^[0-9a-f]{40}$/)
    expect(json[1]).toMatchObject({ id: 'acme/a', modelId: 'acme/a', sha, private: true })
    expect(Number.isNaN(Date.parse(json[1].lastModified))).toBe(false)
    const [, cursor = ''] = /cursor=([^&>]+)/.exec(headers.get('link') ?? '') ?? []
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('acme')
    const forged = await world.ask('/api/models?cursor=abcd', { as: 'reader' })
    expect(forged.status).toBe(400)
  })

  test('and refuses what it cannot sort or filter by, and callers without a name where it needs one', async () => {
    for (const query of ['sort=lastModified', 'filter=pytorch', 'pipeline_tag=x']) {
      expect((await world.ask(`/api/models?${query}`, { as: 'owner' })).status).toBe(400)
    }
    for (const path of ['settings', 'organizations/acme/settings']) {
      expect((await world.ask(`/api/${path}/repositories`)).status).toBe(401)
    }
  })

  test('to pages of the origins that the hub allows', async () => {
    const origin = { origin: 'https://app.example' }
    const { headers } = await world.ask('/acme/Open-one/resolve/main/.gitattributes', {
      headers: origin,
    })
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(headers.get('access-control-expose-headers')).toContain('X-Repo-Commit')
    const preflight = await world.ask('/api/models/acme/a/commit/main', {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    const token = await world.ask('/api/models/acme/a/storage-read-token/main', {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'GET' },
    })
    expect(token.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    const refused = await world.ask('/api/models/acme/a', { headers: origin })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://app.example',
    ])
    const other = await world.ask('/api/models', { headers: { origin: 'https://evil.example' } })
    expect(other.headers.get('access-control-allow-origin')).toBe(null)
  })
})
