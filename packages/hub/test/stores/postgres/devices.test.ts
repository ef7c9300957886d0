/** Devices at two hubs on one PostgreSQL: whatever the hubs do at once, a code and a refresh token count once. */

import { type AccountId, type HubTokenId, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  decideDeviceCode,
  openDeviceCode,
  pollDeviceCode,
} from '../../../src/oauth/device-codes.ts'
import { refresh } from '../../../src/oauth/families.ts'
import type { TokenPair } from '../../../src/oauth/sealed-answer.ts'
import { usualHubTokenPolicy } from '../../../src/sign-in/own-plans.ts'
import { type OpenHub, openFile, openHub } from './open-hub.ts'

const isMissing = isPostgresMissing('no device signs in at two hubs')
const clientId = 'latchkey'
const atOnce = 6

describe.skipIf(isMissing)('at two hubs', () => {
  let own: OwnDatabase
  let hubs: readonly OpenHub[]
  let session: { readonly accountId: AccountId; readonly sessionId: HubTokenId }
  const now = systemClock()
  beforeAll(async () => {
    own = await ownDatabase()
    hubs = [await openHub(own.url, {}, afterAll), await openHub(own.url, {}, afterAll)]
    const file = { ...openFile, hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }] }
    await hubs[0]?.done('apply', { file })
    const row = await hubs[0]?.readBeside((tables) =>
      tables.selectFrom('hub_tokens').select(['id', 'account_id']).executeTakeFirstOrThrow(),
    )
    if (row === undefined) throw new Error('no hub token')
    session = { accountId: row.account_id, sessionId: row.id }
  })

  const depsOf = (index: number) => {
    const hub = hubs[index % hubs.length]
    if (hub === undefined) throw new Error('no hub')
    const making = { randomBytes: pooledRandom(), hubTokenPrefix: 'lk_' }
    return { directory: hub.directory, ...making, policy: usualHubTokenPolicy }
  }
  const times = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)))
  const secretOf = ({ refreshToken }: TokenPair) => refreshToken.reveal()

  async function approvedCode() {
    const request = {
      clientId,
      scope: 'write',
      address: '192.0.2.1',
      network: '192.0.2.1',
      wish: null,
    } as const
    const opened = await openDeviceCode(depsOf(0), { ...request, now })
    if (typeof opened === 'string') throw new Error(opened)
    const { userCode, deviceCode } = opened
    const decision = { userCode, isApproved: true, endsAt: undefined, maxScope: 'write' } as const
    // Both hubs get the click at once, and one of them decides.
    const decided = await times((index) =>
      decideDeviceCode(depsOf(index), { ...decision, ...session, now }),
    )
    expect(decided.filter((one) => one === 'decided')).toHaveLength(1)
    return deviceCode
  }

  function pairsIn(results: readonly object[]): readonly TokenPair[] {
    return results.flatMap((result) => ('pair' in result ? [result.pair as TokenPair] : []))
  }

  const refreshAt = (index: number, { refreshToken }: TokenPair, at: UnixSeconds) =>
    refresh(depsOf(index), { refreshToken, clientId, now: at, requestId: 'a request' })

  test('a code is exchanged once, and a refresh token used once, however many ask', async () => {
    const deviceCode = await approvedCode()
    const poll = { deviceCode, clientId, program: 'latchkey', now, requestId: 'a request' }
    const pairs = pairsIn(await times((index) => pollDeviceCode(depsOf(index), poll)))
    expect(pairs).toHaveLength(atOnce)
    expect(new Set(pairs.map(secretOf)).size).toBe(1)
    const [first] = pairs
    if (first === undefined) throw new Error('no pair')
    const later = pairsIn(await times((index) => refreshAt(index, first, unixSeconds(now + 60))))
    expect(later).toHaveLength(atOnce)
    expect(new Set(later.map(secretOf)).size).toBe(1)
    const [second] = later
    if (second === undefined) throw new Error('no pair')
    // Each hub finds the theft, and one of them revokes.
    const late = unixSeconds(now + 661)
    const stolen = await times((index) => refreshAt(index, first, late))
    expect(stolen.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array.from({ length: atOnce - 1 }, () => 'dead'),
      'reused',
    ])
    expect((await refreshAt(1, second, late)).outcome).toBe('dead')
  })
})
