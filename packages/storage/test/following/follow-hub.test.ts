/** The follower: says once when the hub is reached or away, misses no removal silently, and ends when told. */

import { setTimeout as delay } from 'node:timers/promises'
import { CredentialError, HubLinkError } from '@latchkey/gate/hub-link'
import { asRefUid } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readLinkState } from '../../src/catalog/link-state.ts'
import { askOnce } from '../../src/following/ask-hub.ts'
import { noteRemoval } from '../../src/following/deliver-epochs.ts'
import { followHub } from '../../src/following/follow-hub.ts'
import { startFollowing } from '../../src/following/start-following.ts'
import {
  dev,
  type FollowingWorld,
  main,
  openFollowingWorld,
  repository,
} from './following-world.ts'

const waitMs = 60_000

/** With the log of a running storage. */
async function started({ database, link, clock }: FollowingWorld) {
  const events: { readonly event: string; readonly fields: object }[] = []
  const follower = await startFollowing({
    ...{ database, link, clock, stopwatch: () => 0, maxUploadSeconds: 0 },
    log: (event, fields) => void events.push({ event, fields }),
  })
  onTestFinished(follower.stop)
  const names = () => events.map(({ event }) => event)
  return { ...follower, events, names }
}

function stateOf({ database }: FollowingWorld) {
  return database.read(readLinkState)
}

async function followed(world: FollowingWorld): Promise<void> {
  const head = world.link.head()
  await vi.waitFor(async () => expect((await stateOf(world)).applied).toBe(head), waitMs)
}

test('the log says once that the hub is reached and once that it is away, however often it is asked', async () => {
  const world = await openFollowingWorld()
  const { names, hub } = await started(world)
  await followed(world)
  for (let count = 0; count < 3; count += 1) {
    world.link.advance()
    await followed(world)
  }
  await vi.waitFor(() => expect(names()).toEqual(['hub_reached']), waitMs)
  expect(hub()).toBe('linked')

  world.link.fail(Number.POSITIVE_INFINITY)
  const asked = vi.spyOn(world.link, 'changes')
  world.link.endWaits()
  await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(1), waitMs)
  expect(names()).toEqual(['hub_reached', 'hub_unreachable'])
  expect(hub()).toBe('away')

  world.link.fail(0)
  await vi.waitFor(() => expect(hub()).toBe('linked'), waitMs)
  expect(names()).toEqual(['hub_reached', 'hub_unreachable', 'hub_reached'])
})

test('a hub that answers and does not take the epochs is not away, and is told them when it takes them', async () => {
  const world = await openFollowingWorld()
  world.link.add(repository)
  await world.database.change((tables) => noteRemoval(tables, repository))
  const full = new HubLinkError('the hub answered a question of the storage with status 507')
  const raise = vi.spyOn(world.link, 'raiseEpochs').mockRejectedValue(full)
  const { names, events, hub } = await started(world)
  for (let count = 1; count <= 3; count += 1) {
    await vi.waitFor(() => expect(raise).toHaveBeenCalledTimes(count), waitMs)
    world.link.advance()
  }
  expect(names()).toEqual(['hub_reached', 'url_versions_undelivered'])
  expect(events.at(-1)?.fields).toEqual({ reason: full.message })
  expect(hub()).toBe('linked')

  raise.mockRestore()
  world.link.advance()
  await vi.waitFor(() => expect(world.link.raised).toEqual([repository]), waitMs)
})

test('a hub that refuses the credential is not asked again and again, neither by itself nor for uploads', async () => {
  const world = await openFollowingWorld()
  const { hub, whenLinked } = await started(world)
  await vi.waitFor(() => expect(hub()).toBe('linked'), waitMs)
  const asked = vi.spyOn(world.link, 'changes')
  world.link.fail(Number.POSITIVE_INFINITY, new CredentialError('the hub refused the credential'))
  world.link.endWaits()
  await vi.waitFor(() => expect(hub()).toBe('refuses'), waitMs)
  const times = asked.mock.calls.length
  expect(await whenLinked()).toMatchObject({ code: 'hub_unavailable', retryAfterSeconds: 30 })
  // Longer than the pause after a hub that could not be reached.
  await delay(1500)
  expect(asked.mock.calls).toHaveLength(times)
})

test('a hub whose journal is more than a day ahead of the clock is not believed, and nothing is written down', async () => {
  const world = await openFollowingWorld()
  await askOnce(world)
  const before = await stateOf(world)
  const ahead = world.clock() * 1000 - world.link.head() + 25 * 3600 * 1000
  world.link.advance(ahead)
  await expect(askOnce(world)).rejects.toThrow(/ahead of this machine's clock/)
  expect(await stateOf(world)).toEqual(before)
})

test('a storage is linked as soon as the hub answers, also when its journal has not grown', async () => {
  const world = await openFollowingWorld()
  const first = await started(world)
  await followed(world)
  await first.stop()
  // A question that waits for news would wait for ever: no entry comes.
  const second = await started(world)
  await vi.waitFor(() => expect(second.names()).toEqual(['hub_reached']), waitMs)
  expect(second.hub()).toBe('linked')
})

test('a hub that does not know the number to go on from costs no row, and the operator is told', async () => {
  const world = await openFollowingWorld()
  await world.fill(dev, 2)
  const { events, names } = await started(world)
  await followed(world)
  world.link.lose([dev])
  await vi.waitFor(() => expect(names()).toContain('removals_missed'), waitMs)
  expect(events.at(-1)?.fields).toMatchObject({
    number: world.link.head(),
    advice: expect.stringContaining('latchkey storage reconcile'),
  })
  const goesOn = { lostAt: world.clock(), applied: world.link.head() }
  await vi.waitFor(async () => expect(await stateOf(world)).toMatchObject(goesOn), waitMs)
  expect([await world.rowsOf(dev), await world.tombstones()]).toEqual([[2, 2], {}])

  // From there on the journal is followed as before.
  world.link.remove(main)
  await vi.waitFor(async () => expect(await world.tombstones()).toEqual({ main: true }), waitMs)
  expect(await world.rowsOf(dev)).toEqual([2, 2])
  expect(names().filter((event) => event === 'removals_missed')).toHaveLength(1)
})

test('a tombstone is forgotten when no token for its place can be in use any more, not before', async () => {
  const world = await openFollowingWorld()
  const follower = followHub({ ...world, keepTombstonesSeconds: 100 })
  onTestFinished(follower.stop)
  await followed(world)
  let markers = 0
  /** Comes back after a whole round that began later than the call. */
  const roundDone = async () => {
    for (let count = 0; count < 2; count += 1) {
      markers += 1
      const marker = asRefUid(`marker${markers}`)
      world.link.remove(marker)
      await vi.waitFor(async () => expect((await world.tombstones())[marker]).toBe(true), waitMs)
    }
  }
  world.link.remove(dev)
  await vi.waitFor(async () => expect(await world.tombstones()).toEqual({ dev: true }), waitMs)
  world.passSeconds(100)
  await roundDone()
  expect(await world.tombstones()).toMatchObject({ dev: true })
  world.passSeconds(1)
  world.link.advance()
  await vi.waitFor(async () => expect(await world.tombstones()).not.toHaveProperty('dev'), waitMs)
})

test('a failure of the database is told, and the hub is followed once it is over', async () => {
  const world = await openFollowingWorld()
  const broken = new Error('the disk is gone')
  let failures = 2
  const database = {
    ...world.database,
    change: async (work: Parameters<typeof world.database.change>[0]) => {
      failures -= 1
      if (failures >= 0) throw broken
      return world.database.change(work)
    },
  } as typeof world.database
  const onFailure = vi.fn()
  const follower = followHub({ ...world, database, keepTombstonesSeconds: 1, onFailure })
  onTestFinished(follower.stop)
  await followed(world)
  await vi.waitFor(() => expect(follower.hub()).toBe('linked'), waitMs)
  expect(onFailure.mock.calls).toEqual([[broken], [broken]])
})

test('a follower that has never heard of its hub is stopped at once, also while the hub is silent', async () => {
  const world = await openFollowingWorld()
  world.link.hold()
  const follower = followHub({ ...world, keepTombstonesSeconds: 1 })
  const asked = vi.spyOn(world.link, 'changes')
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), waitMs)
  await follower.stop()
  expect((await stateOf(world)).applied).toBeUndefined()
})

test('a follower that is stopped in the middle of deleting ends with the rows that it has begun', async () => {
  const world = await openFollowingWorld()
  await world.fill(dev, 1500)
  let stopped: Promise<void> | undefined
  const database = {
    ...world.database,
    async read(work: Parameters<typeof world.database.read>[0]) {
      const [xorbs = 0, files = 0] = await world.rowsOf(dev)
      if (xorbs + files < 3000) stopped ??= follower.stop()
      return world.database.read(work)
    },
  } as typeof world.database
  const follower = followHub({ ...world, database, keepTombstonesSeconds: 1 })
  await followed(world)
  world.link.remove(dev)
  await vi.waitFor(() => expect(stopped).toBeDefined(), waitMs)
  await stopped
  const left = await world.rowsOf(dev)
  expect(left).toEqual([1500, expect.toSatisfy((files) => files > 0 && files < 1500)])
  expect(await world.tombstones()).toEqual({ dev: false })

  // The next start goes on where it ended.
  const next = followHub({ ...world, keepTombstonesSeconds: 1 })
  onTestFinished(next.stop)
  await vi.waitFor(async () => expect(await world.tombstones()).toEqual({ dev: true }), waitMs)
  expect(await world.rowsOf(dev)).toEqual([0, 0])
})
