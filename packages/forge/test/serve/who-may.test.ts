/** The forge refuses what the hub does not permit. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { unservedTargets } from './every-route.ts'
import { type Asking, type ForgeWorld, startForge, type Who } from './forge-world.ts'

const lines = [{ key: 'header', value: { summary: 'a commit' } }]
const files = { files: [{ path: 'a.txt', size: 1, sample: '' }] }

/** Every route that names a repository. */
const routes = (name: string): readonly [path: string, asking: Asking][] => [
  [`/api/models/acme/${name}`, {}],
  [`/api/models/acme/${name}/revision/main`, {}],
  [`/api/models/acme/${name}/tree/main`, {}],
  [`/api/models/acme/${name}/paths-info/main`, { body: { paths: ['a'] } }],
  [`/api/models/acme/${name}/refs`, {}],
  [`/api/models/acme/${name}/commits/main`, {}],
  [`/api/models/acme/${name}/preupload/main`, { body: files }],
  [`/api/models/acme/${name}/commit/main`, { body: lines }],
  [`/acme/${name}/resolve/main/.gitattributes`, {}],
  [`/acme/${name}/raw/main/.gitattributes`, {}],
  [`/acme/${name}.git/info/lfs/objects/batch`, { body: { operation: 'download', objects: [] } }],
  [`/acme/${name}`, {}],
  [`/acme/${name}/tree/main`, {}],
  [`/acme/${name}/blob/main/.gitattributes`, {}],
  [`/acme/${name}.git/info/refs?service=git-upload-pack`, {}],
  ['/api/repos/delete', { method: 'DELETE', body: { name, organization: 'acme' } }],
]

describe.skipIf(!isGitThere)('a hub with a forge', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({ hidePrivateRepositories: true })
    await world.create('closed')
    await world.create('open', { private: false })
  })
  afterAll(() => world?.stopped())

  // conformance: Forge / Hidden and absent repositories get the same response
  test('answers for a hidden repository as for an absent one, on every route', async () => {
    // All at once a busy machine may have the hub turn one away.
    const answersFor = async (name: string) => {
      const answers = []
      for (const [path, asking] of routes(name)) {
        const { status, json, headers } = await world.ask(path, { ...asking, as: 'stranger' })
        const header = headers.get('x-error-code')
        answers.push({ ...json, status, header, requestId: undefined })
      }
      return answers
    }
    const hidden = await answersFor('closed')
    expect(hidden.map(({ status, header }) => [status, header])).toEqual(
      hidden.map(() => [404, 'RepoNotFound']),
    )
    expect(hidden).toEqual(await answersFor('absent'))
  })

  test('answers no route without a hub token, and asks git for a password', async () => {
    for (const [path, asking] of [...routes('open'), ['/api/whoami-v2', {}] as const]) {
      const { status, headers } = await world.ask(path, asking)
      expect([path, status]).toEqual([path, 401])
      const challenge = headers.get('www-authenticate')
      expect(challenge).toMatch(path.includes('.git/') ? /^Basic / : /^Bearer /)
    }
  })

  // biome-ignore format: a table is read by its columns
  test.each<[who: Who, what: string, asking: Asking, missing: string]>([
    ['reader',   '/api/repos/create',                   { body: { name: 'x', organization: 'acme' } },                     'role write'],
    ['writer',   '/api/repos/create',                   { body: { name: 'x', organization: 'other' } },                    'role write'],
    ['writer',   '/api/repos/create',                   { body: { name: 'x', organization: 'absent' } },                   'role write'],
    ['writer',   '/api/repos/create',                   { body: { name: 'x' } },                                           'role write'],
    ['ci-bot',   '/api/repos/create',                   { body: { name: 'x', organization: 'acme' } },                     'every ref'],
    ['writer',   '/api/repos/delete',                   { method: 'DELETE', body: { name: 'open', organization: 'acme' } }, 'role admin'],
    ['ci-bot',   '/api/repos/delete',                   { method: 'DELETE', body: { name: 'open', organization: 'acme' } }, 'every ref'],
    ['reader',   '/api/models/acme/open/commit/main',    { body: lines },                                                  'role write'],
    ['stranger', '/api/models/acme/open/preupload/main', { body: files },                                                  'role write'],
    ['ci-bot',   '/acme/open.git/info/refs?service=git-upload-pack', {},                                                   'every ref'],
  ])('refuses %s at %s', async (as, path, asking, missing) => {
    const { status, json, text } = await world.ask(path, { ...asking, as })
    expect(status).toBe(403)
    // Git shows its user nothing but text.
    expect(path.includes('.git/') ? text : json.missing).toContain(missing)
  })

  test('holds a ref rule against a commit, and tells a limited hub token of its own refs alone', async () => {
    const { json } = await world.ask('/api/models/acme/open', { as: 'owner' })
    const repository = 'models/acme/open'
    await world.done('ref set', { repository, ref: 'release/1', commit: json.sha, from: 'main' })
    await world.done('ref-rule set', { repository, pattern: 'release/*', write: 'admin' })
    const refused = await world.commit('open', { 'a.txt': 'a' }, { revision: 'release/1' })
    expect(refused.status).toBe(403)
    const all = await world.ask('/api/models/acme/open/refs', { as: 'reader' })
    expect(all.json.branches.map((branch: { name: string }) => branch.name)).toEqual([
      'main',
      'release/1',
    ])
    const own = await world.ask('/api/models/acme/open/refs', { as: 'ci-bot' })
    expect(own.json.branches.map((branch: { name: string }) => branch.name)).toEqual(['main'])
  })

  // biome-ignore format: a table is read by its columns
  test.each<[who: Who | undefined, path: string, status: number]>([
    ['reader',   '/api/models/acme/open/auth-check',         200],
    ['writer',   '/api/models/acme/open/auth-check/write',   200],
    ['reader',   '/api/models/acme/open/auth-check/write',   403],
    ['ci-bot',   '/api/models/acme/open/auth-check/write',   200],
    ['reader',   '/api/models/acme/absent/auth-check',       404],
    [undefined,  '/api/models/acme/open/auth-check',         401],
    ['reader',   '/api/models/acme/open/auth-check/read',    404],
  ])('tells %s by the status whether it has access: %s', async (as, path, status) => {
    expect((await world.ask(path, { as })).status).toBe(status)
  })

  test('refuses what it does not serve yet with 501 and a sentence', async () => {
    const paths = ['/api/models/acme/open/discussions', '/acme/open/commits/main']
    for (const path of [...paths, ...unservedTargets]) {
      const { status, json, headers } = await world.ask(path, { as: 'owner' })
      expect([path, status]).toEqual([path, 501])
      expect(json.error).toMatch(/^Latchkey does not support .+\.$/)
      expect(headers.get('x-error-message')).toBe(json.error)
    }
  })

  test('leaves the routes of the hub and addresses of nobody to the hub', async () => {
    expect((await world.ask('/healthz')).status).toBe(200)
    expect((await world.ask('/api/whoami', { as: 'owner' })).json.account.name).toBe('owner')
    expect((await world.ask('/api/nothing', { as: 'owner' })).status).toBe(404)
    const token = await world.ask('/api/models/acme/open/storage-read-token/main', { as: 'reader' })
    expect(token.json.casUrl).toContain('https://cas.example/r/')
  })
})
