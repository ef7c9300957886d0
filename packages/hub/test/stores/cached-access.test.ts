/** The hot path's memory is exact: whatever another connection commits holds for the very next request. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { latchkeyJson } from '@latchkey/testing/machine/command'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

const write = 'write models/acme/bert@main'
const status = async (what: string, as: string) => (await ask(world, what, { as })).status

/** Asked twice before, so that the answer before is remembered. */
async function changes(
  what: string,
  as: string,
  change: () => Promise<unknown>,
): Promise<[number, number]> {
  await status(what, as)
  const before = await status(what, as)
  await change()
  return [before, await status(what, as)]
}

describe('the very next request after another connection', () => {
  test('disables the account is refused', async () => {
    const disable = () => world.done('account set', { account: 'guest', disabled: true })
    expect(await changes(write, 'guest/write', disable)).toEqual([200, 401])
    const enable = () => world.done('account set', { account: 'guest', disabled: false })
    expect(await changes(write, 'guest/write', enable)).toEqual([401, 200])
  })

  test('lowers the role is refused', async () => {
    const lower = () =>
      world.done('member set', { namespace: 'acme', account: 'writer', role: 'read' })
    expect(await changes(write, 'writer/write', lower)).toEqual([200, 403])
    const raise = () =>
      world.done('member set', { namespace: 'acme', account: 'writer', role: 'write' })
    expect(await changes(write, 'writer/write', raise)).toEqual([403, 200])
  })

  test('tightens a rule is refused', async () => {
    const rule = { repository: 'models/acme/bert', pattern: 'dev', write: 'admin' }
    const tighten = () => world.done('ref-rule set', rule)
    expect(await changes('write models/acme/bert@dev', 'writer/write', tighten)).toEqual([200, 403])
  })

  test('deletes the ref, or makes it, knows', async () => {
    const ref = { repository: 'models/acme/open', ref: 'short-lived' }
    const asked = ['read models/acme/open@short-lived', 'stranger/write'] as const
    const make = () => world.done('ref set', { ...ref, commit: commit('7') })
    const remove = () => world.done('ref delete', ref)
    expect(await changes(...asked, make)).toEqual([404, 200])
    expect(await changes(...asked, remove)).toEqual([200, 404])
  })

  test('makes a repository that was remembered as absent, finds it', async () => {
    const make = () =>
      world.apply({
        repositories: [
          { type: 'model', id: 'acme/late', visibility: 'public', branches: { main: commit('8') } },
        ],
      })
    expect(await changes('read models/acme/late@main', 'stranger/write', make)).toEqual([404, 200])
  })

  test('opens or closes the repository, knows', async () => {
    const set = (visibility: string) => () =>
      world.done('repo set', { repository: 'models/acme/open', visibility })
    const asked = ['read models/acme/open@main', 'stranger/write'] as const
    expect(await changes(...asked, set('private'))).toEqual([200, 403])
    expect(await changes(...asked, set('public'))).toEqual([403, 200])
  })

  test('makes a hub token with a new prefix is granted', async () => {
    await status('read models/acme/bert@main', 'writer/read')
    const done = verbRunner(world.store, world.now, 'other_')
    const asNew = { account: 'writer', name: 'other-prefix', kind: 'read' }
    const { token } = await done('hub-token create', asNew)
    const told = await ask(world, 'read models/acme/bert@main', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(token).toMatch(/^other_/)
    expect(told.status).toBe(200)
  })

  test('in another process revokes the hub token is refused', async () => {
    const around = { cwd: world.settings.data, env: { LATCHKEY_DATA: world.settings.data } }
    const { items } = await world.done('hub-token list', { account: 'stranger' })
    const [hubToken] = items as { id: string }[]
    const revoke = () => latchkeyJson(['hub-token', 'revoke', hubToken?.id ?? ''], around)
    const asked = ['read models/acme/open@main', 'stranger/write'] as const
    expect(await changes(...asked, revoke)).toEqual([200, 401])
  })

  test('changes something while requests pour in is never answered from before', async () => {
    const flip = (disabled: boolean) => world.done('account set', { account: 'reader', disabled })
    const pour = () => Promise.all(Array.from({ length: 10 }, () => readerStatus()))
    for (let round = 0; round < 10; round += 1) {
      const noise = pour()
      await flip(round % 2 === 0)
      expect(await readerStatus()).toBe(round % 2 === 0 ? 401 : 200)
      await noise
    }
  })
})

function readerStatus(): Promise<number> {
  return status('read models/acme/bert@main', 'reader/write')
}
