/** Sign-ins after a restore, a rollback or a failover, and long after their end. */

import type { HubTokenId } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { answerRollback } from '../../src/rollback/answer-rollback.ts'
import { endSignIns } from '../../src/tables/end-sign-ins.ts'
import { deleteOldSignIns, revokeUnused } from '../../src/tables/old-sign-ins.ts'
import { makeHubTokenRow } from '../../src/verbs/hub-token-rows.ts'
import { csrfOf, signIn, submit, visit } from './browser.ts'

const randomBytes = pooledRandom()

const people = {
  accounts: [{ name: 'ada' }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

async function signedIn() {
  const world = await startWorld(people)
  onTestFinished(() => world.close())
  const cookie = await signIn(world, 'ada/laptop')
  const status = async () => (await visit(world, '/account', { cookie })).status
  expect(await status()).toBe(200)
  const { directory } = world.store
  const rows = () =>
    directory.read((tables) =>
      tables.selectFrom('hub_tokens').select(['origin', 'revoked_at']).orderBy('origin').execute(),
    )
  return { world, directory, status, rows }
}

test('a rollback that was noticed ends every session, and no hub token that an administrator made', async () => {
  const { world, directory, status, rows } = await signedIn()
  const head = await directory.read((tables) =>
    tables.selectFrom('journal_head').select('number').executeTakeFirstOrThrow(),
  )
  const origin = { user: 'test' }
  await answerRollback(
    { directory, log: () => {}, now: world.now() },
    { knownNumber: head.number + 1, knownBy: 'test', origin },
  )
  expect(await status()).toBe(303)
  expect(await rows()).toMatchObject([
    { origin: 'admin', revoked_at: null },
    { origin: 'session', revoked_at: world.now() },
  ])
})

test('nothing that has ended is ended again', async () => {
  const { world, directory } = await signedIn()
  world.passSeconds(7 * 86_400)
  expect(await directory.read((tables) => endSignIns(tables, world.now()))).toEqual([])
})

test('the row of a session is deleted 30 days after its end, without a revocation entry', async () => {
  const { world, directory, rows } = await signedIn()
  const cutOffs = () =>
    directory.read((tables) => tables.selectFrom('cut_offs').selectAll().execute())
  const origin = { verb: 'housekeeping' }
  const work = () => deleteOldSignIns(directory, { now: world.now(), origin })
  world.passSeconds((7 + 30) * 86_400)
  expect(await work()).toBe(0)
  expect(await rows()).toHaveLength(2)
  world.passSeconds(1)
  const before = await cutOffs()
  expect(await work()).toBe(1)
  expect(await rows()).toMatchObject([{ origin: 'admin' }])
  expect(await cutOffs()).toEqual(before)
  const sessions = await directory.read((tables) =>
    tables.selectFrom('sessions').select('hub_token_id').execute(),
  )
  expect(sessions).toEqual([] satisfies { hub_token_id: HubTokenId }[])
})

test('the row of a CI job is deleted a day after its end, whatever else is kept', async () => {
  const { world, directory, rows } = await signedIn()
  const work = () =>
    deleteOldSignIns(directory, { now: world.now(), origin: { verb: 'housekeeping' } })
  await directory.change(async (transaction) => {
    const { tables, putAs } = transaction
    const account = await tables.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
    const surroundings = { tables, now: world.now(), randomBytes, hubTokenPrefix: 'lk_' }
    const made = Array.from({ length: 1001 }, (_, at) =>
      makeHubTokenRow(surroundings, account, {
        ...{ name: `job-${at}`, kind: 'fine-grained', origin: 'ci' },
        grants: [{ on: 'models/acme/bert', contents: 'read' }],
        expiresAt: { at: world.now() + (at % 2 === 0 ? 3600 : 1800) },
      }),
    )
    const after = made.map(({ row }) => row)
    await putAs({ verb: 'test' })(after.map((row) => ({ thing: 'hub-token', after: row, account })))
  })
  world.passSeconds(86_400 + 1800)
  expect(await work()).toBe(0)
  world.passSeconds(1)
  expect(await work()).toBe(500)
  world.passSeconds(1800)
  expect(await work()).toBe(501)
  expect((await rows()).map(({ origin }) => origin)).toEqual(['admin', 'session'])
})

test('a hub token that its owner made and did not use is revoked, and one of an administrator stays', async () => {
  const { world, directory } = await signedIn()
  const cookie = await signIn(world, 'ada/laptop')
  const csrf = await csrfOf(world, cookie)
  const made = (name: string) =>
    submit(world, '/account/hub-tokens', { csrf, name, kind: 'read', days: '' }, { cookie })
  for (const name of ['used', 'unused']) expect((await made(name)).status).toBe(200)
  world.passSeconds(10 * 86_400)
  await directory.note('last use', async ({ tables }) => {
    await tables
      .updateTable('hub_tokens')
      .set({ last_used_at: world.now() })
      .where('name', '=', 'used')
      .execute()
  })
  const origin = { verb: 'housekeeping' }
  expect(await revokeUnused(directory, { now: world.now(), days: 10, origin })).toBe(0)
  world.passSeconds(1)
  expect(await revokeUnused(directory, { now: world.now(), days: 10, origin })).toBe(1)
  const live = await directory.read((tables) =>
    tables
      .selectFrom('hub_tokens')
      .select('name')
      .where('revoked_at', 'is', null)
      .where('origin', '<>', 'session')
      .orderBy('name')
      .execute(),
  )
  expect(live).toEqual([{ name: 'laptop' }, { name: 'used' }])
})

test('the policy of the operator bounds kinds and lives', async () => {
  const policy = { maxDays: 30, unusedDays: 0, kinds: ['read' as const] }
  const world = await startWorld(people, { hubTokens: policy })
  onTestFinished(() => world.close())
  const cookie = await signIn(world, 'ada/laptop')
  const csrf = await csrfOf(world, cookie)
  const statusFor = async (form: Record<string, string>) =>
    (await submit(world, '/account/hub-tokens', { csrf, name: 'own', ...form }, { cookie })).status
  expect(await statusFor({ kind: 'write', days: '1' })).toBe(403)
  expect(await statusFor({ kind: 'read', days: '31' })).toBe(403)
  expect(await statusFor({ kind: 'read', days: '' })).toBe(403)
  expect(await statusFor({ kind: 'read', days: '30' })).toBe(200)
})
