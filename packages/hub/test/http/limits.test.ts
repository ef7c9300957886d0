import { maxAccessTokenLength, maxCasUrlLength } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, claimsOf } from '@latchkey/testing/hub/ask'
import { commit, type SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

/** A repository and refs with the longest names there can be, and a commit that sees as much as one can. */
async function makeLongest(): Promise<string> {
  const namespace = 'n'.repeat(96)
  const repository = `datasets/${namespace}/${'r'.repeat(96)}`
  await world.done('namespace create', { name: namespace })
  await world.done('member set', { namespace, account: 'writer', role: 'admin' })
  await world.done('repo create', { repository })
  const hash = 'ab'.repeat(32)
  for (let index = 0; index < 9; index += 1) {
    await world.done('ref set', { repository, ref: `branch-${index}`, commit: hash })
  }
  const tag = `refs/tags/${'"'.repeat(255)}`
  await world.done('ref set', { repository, ref: tag, commit: hash })
  return `write ${repository}@${tag}`
}

test('addresses that would make tokens too long are refused at the start', async () => {
  await start()
  const casUrl = 'https://cas.example/'.padEnd(1300, 'p')
  await expect(start({ casUrl })).rejects.toThrow(/have 1319 characters together; at most 1300/)
  const longer = 'https://cas.example/{repo}/'.padEnd(2049, 'p')
  await expect(start({ casUrl: longer })).rejects.toThrow(/2049 characters; at most 2048/)
})

// conformance: Limits / accessToken has at most 64000 characters; Latchkey uses at most 4096
test('a token stays within 4096 characters with the longest names and addresses that are accepted', async () => {
  const publicUrl = 'https://hub.example'
  await start({ publicUrl, casUrl: 'https://cas.example/'.padEnd(1300 - publicUrl.length, 'p') })
  const told = await ask(world, await makeLongest(), { as: 'writer/write' })
  expect(told.status, told.text).toBe(200)
  expect((claimsOf(told)['sees'] as unknown[]).length).toBe(8)
  expect(told.json.accessToken?.length).toBeLessThanOrEqual(4096)
  expect(told.json.accessToken?.length).toBeLessThanOrEqual(maxAccessTokenLength)
})

// conformance: Limits / casUrl has at most 64000 characters; the hub starts with at most 2048
test('a storage address of 2048 characters with its placeholders filled is within what clients may assume', async () => {
  await start({ casUrl: 'https://cas.example/{repo}/{ref}/'.padEnd(2048, 'p') })
  const { json } = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  expect(json.casUrl).toMatch(/\/[a-z2-7]{26}\/[a-z2-7]{26}\/p{2000,}$/)
  expect(json.casUrl?.length).toBeLessThanOrEqual(maxCasUrlLength)
})

// conformance: Limits / accessToken has at most 64000 characters; Latchkey uses at most 4096
test('a usual token has about 700 characters', async () => {
  await start()
  const { json } = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  expect(json.accessToken?.length).toBeLessThan(800)
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('revisions that cannot exist take no room in the memory of the hub, however long they are', async () => {
  await start()
  const headers = ['Authorization', bearer(world, 'writer/write')]
  const asked = async (revision: string) => {
    const target = `/api/models/acme/bert/storage-read-token/${revision}`
    expect(codeOf(await askExactly(world, target, { headers }))).toEqual([
      404,
      'revision_not_found',
    ])
  }
  for (const _ of [1, 2]) await asked('a..b')
  const repeated = async () => {
    for (const letter of ['x', 'y', 'z']) await asked(letter.repeat(60_000))
  }
  expect(await statementsDuring(repeated)).toEqual([])
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('a path of 60000 characters is answered', async () => {
  await start()
  const headers = ['Authorization', bearer(world, 'writer/write')]
  const long = 'x'.repeat(60_000)
  for (const target of [`/${long}`, `/api/models/acme/${long}/storage-read-token/main`]) {
    expect((await askExactly(world, target, { headers })).status).toBe(404)
  }
})

// conformance: Limits / accessToken has at most 64000 characters; Latchkey uses at most 4096
test('a branch of 255 bytes in a repository with the longest name gets its token', async () => {
  await start()
  await makeLongest()
  const repository = `datasets/${'n'.repeat(96)}/${'r'.repeat(96)}`
  const ref = 'b'.repeat(255)
  await world.done('ref set', { repository, ref, commit: commit('1') })
  const told = await ask(world, `read ${repository}@${ref}`, { as: 'writer/write' })
  expect(claimsOf(told)).toMatchObject({ ref: { name: `refs/heads/${ref}` } })
})
