/** Accounts take turns at a repository: readers who propose much do not hold up its writers. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, type RepositoryUid } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InTurn, inTurn } from '../../src/commits/in-turn.ts'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'

const [one, other] = ['uid-one', 'uid-other'] as RepositoryUid[] as [RepositoryUid, RepositoryUid]

/** Work that ends when the test says so. */
function heldTurn(turns: InTurn, account: string, uid = one) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { over: turns({ uid, account }, () => promise), end: resolve }
}

describe("a repository's turns", () => {
  test('go from account to account, and have one work at a time', async () => {
    const turns = inTurn()
    const order: string[] = []
    let [working, maxWorking] = [0, 0]
    const add = (account: string) =>
      turns({ uid: one, account }, async () => {
        working += 1
        maxWorking = Math.max(maxWorking, working)
        await sleep(1)
        order.push(account)
        working -= 1
      })
    const many = Array.from({ length: 20 }, () => add('stranger'))
    await Promise.all([...many, add('owner'), add('owner')])
    expect(order.indexOf('owner')).toBe(1)
    expect(order.lastIndexOf('owner')).toBe(3)
    expect(maxWorking).toBe(1)
  })

  test('do not wait for work on another repository', async () => {
    const turns = inTurn()
    const slow = heldTurn(turns, 'owner')
    expect(await turns({ uid: other, account: 'owner' }, async () => 'done')).toBe('done')
    slow.end()
    await slow.over
  })

  test('are not kept for a client that has left', async () => {
    const turns = inTurn()
    const slow = heldTurn(turns, 'owner')
    const client = new AbortController()
    let isBegun = false
    const waiting = turns({ uid: one, account: 'reader', signal: client.signal }, async () => {
      isBegun = true
    })
    client.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    slow.end()
    await slow.over
    await turns({ uid: one, account: 'owner' }, async () => {})
    expect(isBegun).toBe(false)
  })

  test('are refused to an account of which too many requests wait', async () => {
    const turns = inTurn()
    const slow = heldTurn(turns, 'stranger')
    const waiting = Array.from({ length: 64 }, () =>
      turns({ uid: one, account: 'stranger' }, async () => {}),
    )
    const refused = await turns({ uid: one, account: 'stranger' }, async () => {})
    expect(isRefusal(refused) && refused.code).toBe('rate_limited')
    const ofOwner = turns({ uid: one, account: 'owner' }, async () => 'made')
    slow.end()
    expect(await ofOwner).toBe('made')
    await Promise.all(waiting)
  })

  test('go on after work that fails', async () => {
    const turns = inTurn()
    const failing = turns({ uid: one, account: 'owner' }, () => Promise.reject(new Error('full')))
    const next = turns({ uid: one, account: 'owner' }, async () => 'made')
    await expect(failing).rejects.toThrow('full')
    expect(await next).toBe('made')
  })
})

describe.skipIf(!isGitThere)('beside many requests of a stranger', () => {
  const count = rounds(20, 50)
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
  })
  afterAll(() => world?.stopped())

  /** How many of them were done before the commit of the owner, which was sent when the first were. */
  async function doneBeforeCommit(name: string, ask: (at: number) => Promise<{ status: number }>) {
    const statuses: number[] = []
    const all = Array.from({ length: count }, async (_, at) => {
      statuses.push((await ask(at)).status)
    })
    await expect.poll(() => statuses.length, { interval: 1 }).toBeGreaterThan(0)
    const before = statuses.length
    const { status } = await world.commit(name, { 'a.txt': 'of the owner' }, { as: 'owner' })
    const after = statuses.length
    await Promise.all(all)
    expect([status, statuses[0]]).toEqual([200, 200])
    return after - before
  }

  test('a commit is made after a handful of pull requests', async () => {
    await world.create('open', { private: false })
    const done = await doneBeforeCommit('open', (at) =>
      world.ask('/api/models/acme/open/discussions', {
        ...{ as: 'stranger', body: { title: `proposal ${at}`, pullRequest: true } },
      }),
    )
    expect(done).toBeLessThan(12)
  })

  test('a commit is made after a handful of branches and tags', async () => {
    await world.create('branches')
    const done = await doneBeforeCommit('branches', (at) => {
      const [path, body] =
        at % 2 === 0 ? [`branch/b${at}`, {}] : ['tag/main', { tag: `t${at}`, message: 'a tag' }]
      return world.ask(`/api/models/acme/branches/${path}`, { as: 'writer', body })
    })
    expect(done).toBeLessThan(12)
  })
})
