/** Whatever hub token a person signs in with, and whatever is asked for then: nothing that is made does more than it. */

import type { HubTokenGrant } from '@latchkey/protocol'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantsNarrow } from '../../src/permission/compare-reach.ts'
import type { HubTokenRow } from '../../src/tables/rows.ts'
import { poll, postForm } from '../oauth/sign-in-device.ts'
import { arbitraryGrant } from '../permission/arbitraries.ts'
import { csrfOf, signIn, submit } from './browser.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 300 : 12
const daySeconds = 86_400

let world: World
beforeAll(async () => {
  const accounts = [{ name: 'ada' }, { name: 'ben' }]
  world = await startWorld({ accounts, namespaces: [{ name: 'acme', members: { ada: 'admin' } }] })
})
afterAll(() => world.close())

const grants = fc.array(
  arbitraryGrant.filter(({ refs }) => refs?.length !== 0),
  { minLength: 1, maxLength: 2 },
)
const days = fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined })
const wish = fc.oneof(
  fc.record({ kind: fc.constantFrom('read', 'write'), days }),
  fc.record({ kind: fc.constant('fine-grained'), days, grants }),
)

interface Wish {
  readonly kind: string
  readonly days: number | undefined
  readonly grants?: readonly HubTokenGrant[]
}

/** The same for every kind, to compare them. */
function reachOf({ kind, grants }: Pick<HubTokenRow, 'kind' | 'grants'>): readonly HubTokenGrant[] {
  if (kind === 'fine-grained') return JSON.parse(grants)
  return kind === 'read' || kind === 'write' ? [{ on: '*', contents: kind }] : []
}

let made = 0
const nameOf = () => `t${made++}`

function wished({ kind, days: life, grants: wanted }: Wish) {
  const expiresAt = new Date((world.now() + (life ?? 0) * daySeconds) * 1000).toISOString()
  return { kind, ...(wanted && { grants: wanted }), ...(life !== undefined && { expiresAt }) }
}

/** A row, and its secret if an administrator has made it. */
async function create(asked: Wish): Promise<{ readonly id: string; readonly token: string }> {
  const token = Object(
    await world.done('hub-token create', { account: 'ada', name: nameOf(), ...wished(asked) }),
  )
  return { id: String(token.id), token: String(token.token) }
}

function rows(): Promise<readonly HubTokenRow[]> {
  return world.store.readBeside((tables) =>
    tables.selectFrom('hub_tokens').selectAll().where('origin', '<>', 'session').execute(),
  )
}

/** A program asks, and the person approves whatever the page offers. */
async function byProgram(details: object, approve: (code: string) => Promise<unknown>) {
  const authorization_details = JSON.stringify([details])
  const client = { client_id: 'latchkey', authorization_details }
  const { json } = await postForm(world, '/oauth/device', client)
  await approve(String(json['user_code']))
  await poll(world, String(json['device_code']))
}

test(`a person makes no hub token beyond the one of the sign-in, in ${runs} tries`, async () => {
  let reached = 0
  await fc.assert(
    fc.asyncProperty(wish, wish, wish, async (parentWish, oldWish, newWish) => {
      const parent = await create(parentWish)
      const old = await create(oldWish)
      const before = await rows()
      const rowOf = (id: string) => before.find((row) => row.id === id)
      const cookie = await signIn(world, parent.token)
      const csrf = await csrfOf(world, cookie)
      const send = (path: string, form: Record<string, string>) =>
        submit(world, path, { csrf, ...form }, { cookie })
      const decide = (decision: string) => (user_code: string) =>
        send('/device', { user_code, decision })
      const one = 'grants' in newWish ? newWish.grants[0] : undefined
      await send('/account/hub-tokens', {
        ...{ name: nameOf(), kind: newWish.kind, days: String(newWish.days ?? '') },
        ...{ repositories: one?.on ?? '', contents: one?.contents ?? '' },
        refs: one?.refs?.join(' ') ?? '',
      })
      const asked = { type: 'hub-token-create', name: nameOf(), ...wished(newWish) }
      await byProgram(asked, decide('approve'))
      await byProgram({ type: 'hub-token-rotate', hubToken: old.id }, decide('approve'))

      const after = await rows()
      const found = after.filter(({ id }) => !before.some((row) => row.id === id))
      const parentRow = rowOf(parent.id)
      const oldRow = rowOf(old.id)
      if (parentRow === undefined || oldRow === undefined) throw new Error('no parent')
      for (const row of found) {
        expect(row.origin).toBe('self')
        // Each grant lies in one of the hub token that was used to sign in.
        expect(grantsNarrow(reachOf(row), reachOf(parentRow))).toBe(false)
        const end = row.expires_at ?? Number.POSITIVE_INFINITY
        expect(end).toBeLessThanOrEqual(parentRow.expires_at ?? Number.POSITIVE_INFINITY)
        if (row.name !== oldRow.name) continue
        expect(end).toBeLessThanOrEqual(oldRow.expires_at ?? Number.POSITIVE_INFINITY)
        expect([row.kind, row.grants]).toEqual([oldRow.kind, oldRow.grants])
      }
      if (parentRow.kind !== 'write') expect(found).toEqual([])
      else expect(found.length).toBe(3)
      reached += found.length
      for (const { id } of [...found, parentRow, oldRow]) {
        await world.done('hub-token revoke', { hubToken: id })
      }
      // Those that nobody could approve would be too many for one address.
      world.passSeconds(601)
    }),
    { numRuns: runs },
  )
  expect(reached).toBeGreaterThan(0)
})
