/** Who may create repositories, and how much of them. */

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type ForgeWorld, startForge } from './forge-world.ts'

const rules = { ownNamespaces: false, repositoriesPerNamespace: 2, refsPerRepository: 10 }
const create = (world: ForgeWorld, name: string, organization?: string) =>
  world.ask('/api/repos/create', {
    ...{ as: 'stranger', body: { name, ...(organization && { organization }) } },
  })

describe('with a namespace for every account', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge(
      { creation: { ...rules, ownNamespaces: true } },
      { bounds: { repositoryBytes: 1 } },
    )
  })
  afterAll(() => world.stopped())

  test('the namespace comes with the first repository, and its account is its admin', async () => {
    expect((await create(world, 'first')).status).toBe(200)
    expect(await world.done('member list', { namespace: 'stranger' })).toMatchObject({
      items: [{ account: 'stranger', role: 'admin' }],
    })
  })

  test('a namespace has as many repositories as it may have', async () => {
    expect((await create(world, 'second')).status).toBe(200)
    const { status, json } = await create(world, 'third')
    expect([status, json.code]).toEqual([413, 'quota_exceeded'])
  })

  test('a namespace that is there belongs to its members, whatever its name', async () => {
    await world.done('account create', { name: 'other' })
    const made = await world.done('hub-token create', {
      ...{ account: 'other', name: 'token', kind: 'write' },
    })
    const { token } = made as { token: string }
    for (const organization of ['other', 'Other', 'fresh']) {
      const { status } = await world.ask('/api/repos/create', {
        ...{ headers: { authorization: `Bearer ${token}` }, body: { name: 'x', organization } },
      })
      expect(status).toBe(403)
    }
  })

  test('a repository that has reached its bound takes no more commits', async () => {
    await world.create('full')
    const { status, json } = await world.commit('full', { 'a.txt': 'a' })
    expect([status, json.code]).toEqual([413, 'quota_exceeded'])
  })
})

// conformance: Forge / A repository has a maximum number of refs
test('a repository has as many refs as it may have, and no branch, tag or proposal more', async () => {
  const world = await startForge({ creation: { ...rules, refsPerRepository: 3 } })
  try {
    await world.create('many')
    const api = '/api/models/acme/many'
    const branch = (name: string, method = 'POST') =>
      world.ask(`${api}/branch/${name}`, { as: 'writer', method, body: {} })
    expect((await branch('one')).status).toBe(200)
    expect((await branch('two')).status).toBe(200)
    const refs = await world.ask(`${api}/refs?include_prs=1`, { as: 'writer' })
    const tag = { as: 'writer', body: { tag: 'v1' } } as const
    const proposal = {
      as: 'writer',
      body: { title: 'a', description: '', pullRequest: true },
    } as const
    for (const told of [
      await branch('three'),
      await world.ask(`${api}/tag/main`, tag),
      await world.ask(`${api}/discussions`, proposal),
    ]) {
      expect([told.status, told.json.code]).toEqual([413, 'quota_exceeded'])
      expect(told.json.error).toContain('has 3 refs, which is as many as it may have')
    }
    expect((await world.ask(`${api}/refs?include_prs=1`, { as: 'writer' })).json).toEqual(refs.json)
    // Nothing is under way for those that were refused, and what is there moves on.
    expect(readdirSync(join(world.data, 'forge', 'pending'))).toEqual([])
    expect((await world.commit('many', { 'a.txt': 'a' }, { revision: 'one' })).status).toBe(200)
    expect((await branch('two', 'DELETE')).status).toBe(200)
    expect((await world.ask(`${api}/tag/main`, tag)).status).toBe(200)
  } finally {
    await world.stopped()
  }
})

// conformance: Forge / A reader can open a pull request, and no more
test('readers propose until git has half of what it may have, and writers go on', async () => {
  const bounds = { commitBytes: 100_000, repositoryBytes: 400_000 }
  const world = await startForge({ creation: { ...rules, refsPerRepository: 100 } }, { bounds })
  try {
    await world.create('proposed')
    const propose = (at: number) =>
      world.ask('/api/models/acme/proposed/commit/main?create_pr=1', {
        as: 'reader',
        body: [
          { key: 'header', value: { summary: `proposal ${at}` } },
          { key: 'file', value: { path: 'a.txt', content: randomBytes(30_000).toString('hex') } },
        ],
      })
    const told: Answer[] = []
    // Each takes 60 000 bytes, and less in git.
    while (told.length < 20 && (told.at(-1)?.status ?? 200) === 200) {
      told.push(await propose(told.length))
    }
    expect(told.length).toBeGreaterThan(1)
    expect(told.at(-1)?.status).toBe(413)
    expect(told.at(-1)?.json).toMatchObject({
      code: 'quota_exceeded',
      error: expect.stringContaining('ask an account that may write'),
    })
    const body = { title: 'one more', description: '', pullRequest: true }
    const discussions = '/api/models/acme/proposed/discussions'
    expect((await world.ask(discussions, { as: 'reader', body })).status).toBe(413)
    expect((await world.commit('proposed', { 'a.txt': 'a' })).status).toBe(200)
    expect((await world.ask(discussions, { as: 'writer', body })).status).toBe(200)
  } finally {
    await world.stopped()
  }
})

test('without it, only members create repositories, and nothing is made', async () => {
  const world = await startForge(
    { creation: rules },
    { bounds: { commitBytes: 4000, repositoryBytes: 40_000 } },
  )
  try {
    expect((await create(world, 'first')).status).toBe(403)
    await world.create('bounded')
    const long = await world.commit('bounded', { 'a.txt': 'a'.repeat(5000) })
    expect([long.status, long.json.code]).toEqual([413, 'body_too_large'])
    expect((await world.commit('bounded', { 'a.txt': 'a' })).status).toBe(200)
  } finally {
    await world.stopped()
  }
})
