/** Tokens name the storage on which the repository is recorded. */

import { parseStorageName } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { notedStorages } from '../../src/minting/storage-names.ts'

const eu = parseStorageName('eu') ?? expect.unreachable()
const storages = [{ name: eu, casUrl: 'https://eu.example/r/{repo}/{ref}' }]
const as = 'maintainer/write'

let world: World
beforeAll(async () => {
  const compat = { huggingface: true }
  world = await startWorld(acme, { storages, compat })
  await world.apply({
    repositories: [{ type: 'model', id: 'acme/far', storage: 'eu', visibility: 'private' }],
  })
})
afterAll(() => world.close())

function audienceOf(token: unknown): unknown {
  const [, claims = ''] = String(token).split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).aud
}

test('a token and its response name the storage of the repository, at every request', async () => {
  // The second and third come from what the hub remembers of the first.
  for (let time = 0; time < 3; time += 1) {
    const near = await ask(world, 'write models/acme/bert@main', { as })
    const far = await ask(world, 'write models/acme/far@main', { as })
    expect(audienceOf(near.json['accessToken'])).toBe('https://cas.example/r')
    expect(near.json['casUrl']).toMatch(/^https:\/\/cas\.example\/r\/[a-z2-7]{26}\/[a-z2-7]{26}$/)
    expect(audienceOf(far.json['accessToken'])).toBe('https://eu.example/r')
    expect(far.json['casUrl']).toMatch(/^https:\/\/eu\.example\/r\/[a-z2-7]{26}\/[a-z2-7]{26}$/)
  }
})

test('clients that read headers get the storage of the repository', async () => {
  const answer = await fetch(`${world.hub.url}/api/models/acme/far/xet-read-token/main`, {
    headers: { authorization: `Bearer ${world.tokens[as]?.reveal()}` },
  })
  expect(answer.headers.get('X-Xet-Cas-Url')).toMatch(/^https:\/\/eu\.example\/r\//)
})

test('a repository on a storage that the configuration lacks is refused, for callers who may have a token', async () => {
  const recordOn = (storage: string) =>
    writeTables(world.store.directory, (tables) =>
      tables
        .updateTable('repositories')
        .set({ storage: parseStorageName(storage) ?? expect.unreachable() })
        .where('path', '=', 'models/acme/bert')
        .execute(),
    )
  await recordOn('gone')
  const { status, headers, json } = await ask(world, 'read models/acme/bert@main', { as })
  expect({ status, code: json['code'] }).toEqual({ status: 503, code: 'not_ready' })
  expect(headers.get('retry-after')).toBe('10')
  expect(json['detail']).toMatch(/storage "gone", which the configuration of this hub does not/)
  const stranger = await ask(world, 'read models/acme/bert@main', { as: 'stranger/write' })
  expect(stranger.status).toBe(403)
  expect(JSON.stringify(stranger.json)).not.toContain('gone')
  expect((await ask(world, 'read models/acme/open@main', { as })).status).toBe(200)
  await recordOn('default')
  expect((await ask(world, 'read models/acme/bert@main', { as })).status).toBe(200)
})

test('a hub that cannot take its port leaves the names of the storages as they were', async () => {
  const { startHub } = await import('../../src/start/start-hub.ts')
  const notedNames = () => world.store.directory.readBeside(notedStorages)
  const port = Number(new URL(world.hub.url).port)
  const starting = startHub({ ...world.settings, port, storages: undefined }, { clock: world.now })
  await expect(starting).rejects.toThrow(/port/)
  expect([...(await notedNames())]).toEqual(['default', 'eu'])
})

test('a hub that starts without a storage of some repositories says so', async () => {
  const { startHub } = await import('../../src/start/start-hub.ts')
  const lines: string[] = []
  const hub = await startHub(
    { ...world.settings, storages: undefined },
    { clock: world.now, lines: { write: (line) => lines.push(line), async close() {} } },
  )
  await hub.stop()
  const line = lines.find((one) => one.includes('storage_not_configured'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ storage: 'eu', repositories: 1 })
})
