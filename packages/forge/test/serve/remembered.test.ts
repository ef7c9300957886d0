/** What the forge remembers of a download is shown to those whom the hub permits at that moment. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge, type Who } from './forge-world.ts'

describe.skipIf(!isGitThere)('a file that was downloaded before', () => {
  let world: ForgeWorld
  let commit: string
  beforeAll(async () => {
    world = await startForge({ hidePrivateRepositories: true })
    await world.create('one')
    await world.create('two')
    const made = await world.commit('one', { 'a.txt': 'the content' })
    commit = made.json.commitOid
  })
  afterAll(() => world?.stopped())

  const statusFor = async (name: string, as: Who | undefined) => {
    const statuses = []
    for (const method of ['HEAD', 'GET']) {
      statuses.push(
        (await world.ask(`/acme/${name}/resolve/${commit}/a.txt`, { method, as })).status,
      )
    }
    return statuses
  }

  test('is shown again to those who may read it, and to nobody else', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await statusFor('one', 'reader')).toEqual([200, 200])
      expect(await statusFor('one', 'stranger')).toEqual([404, 404])
      expect(await statusFor('one', undefined)).toEqual([401, 401])
      expect(await statusFor('two', 'reader')).toEqual([404, 404])
    }
  })

  test('is refused at the first request after the account has lost its right', async () => {
    expect(await statusFor('one', 'reader')).toEqual([200, 200])
    await world.done('account set', { account: 'reader', disabled: true })
    expect(await statusFor('one', 'reader')).toEqual([401, 401])
    expect(await statusFor('one', 'owner')).toEqual([200, 200])
  })

  test('is gone with its repository', async () => {
    expect(await statusFor('one', 'owner')).toEqual([200, 200])
    const body = { name: 'one', organization: 'acme' }
    const deleted = await world.ask('/api/repos/delete', { method: 'DELETE', as: 'owner', body })
    expect(deleted.status).toBe(200)
    expect(await statusFor('one', 'owner')).toEqual([404, 404])
    await world.create('one', { as: 'owner' })
    expect(await statusFor('one', 'owner')).toEqual([404, 404])
  })
})
