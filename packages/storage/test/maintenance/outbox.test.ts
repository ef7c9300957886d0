/** An epoch that a removal needs is raised, whatever ends between the removal and the word to the hub. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type HubLink, HubLinkError } from '@latchkey/gate/hub-link'
import { expect, test, vi } from 'vitest'
import { deliverEpochs, noteRemoval } from '../../src/following/deliver-epochs.ts'
import { followHub } from '../../src/following/follow-hub.ts'
import { collect } from '../../src/maintenance/collect.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { bert, other } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { environmentFor } from '../catalog/test-catalog.ts'
import { day, type MaintenanceWorld, openMaintenanceWorld, repo } from './maintenance-world.ts'

async function filled(): Promise<MaintenanceWorld> {
  const world = await openMaintenanceWorld()
  await world.upload(await world.place(bert, 'main'), 'unused')
  world.passSeconds(2 * day)
  return world
}

/** A process that collects and is killed between the transaction that removes and its word to the hub. */
async function killedCollecting({ data, database, now }: MaintenanceWorld): Promise<void> {
  const script = fileURLToPath(new URL('collecting-process.ts', import.meta.url))
  const child = fork(script, [data, 'killed'], { env: environmentFor(database) })
  child.send(now())
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
}

const waiting = async ({ rows }: MaintenanceWorld) =>
  (await rows('SELECT 1 FROM epoch_outbox')).length

// conformance: Embedded storage / The storage removes content only after the hub confirms it
test('a collection that was killed before it told the hub is made good by the next one', async () => {
  const world = await filled()
  await killedCollecting(world)
  expect(await world.rows('SELECT 1 FROM stored_xorbs')).toEqual([])
  expect([world.raised(), await waiting(world)]).toEqual([[false, false], 1])
  // There is nothing left to collect, so that nothing else raises it.
  const collected = await collect(world.maintenance, { now: world.now(), isDryRun: false })
  expect(collected).toMatchObject({ xorbs: { count: 0 } })
  expect([world.raised(), await waiting(world)]).toEqual([[true, false], 0])
})

test('what a killed collection has left to tell is told by the running storage', async () => {
  const world = await openMaintenanceWorld()
  const { database, now, maintenance } = world
  const { repositoryUid } = await world.place(bert, 'main')
  await maintenance.change((tables) => noteRemoval(tables, repositoryUid))
  const link = { ...world.link, changes: unlessThereIsNothing(world.link.changes) }
  const follower = followHub({ database, link, clock: now, keepTombstonesSeconds: 1 })
  const raised = async () =>
    expect([world.raised(), await waiting(world)]).toEqual([[true, false], 0])
  await vi.waitFor(raised, 180_000)
  await follower.stop()
})

/** Like a hub with a long poll, it answers when there is something, or when the storage stops. */
function unlessThereIsNothing(changes: HubLink['changes']): HubLink['changes'] {
  return async (question) => {
    const answer = await changes(question)
    const { after, signal, waitSeconds = 0 } = question
    const isWaiting = waitSeconds > 0 && answer.number === after
    if (isWaiting && signal?.aborted === false) await once(signal, 'abort')
    return answer
  }
}

test('a hub that goes away in the middle is told later', async () => {
  const world = await filled()
  const raiseEpochs = async () => {
    throw new HubLinkError('it went away')
  }
  const maintenance = { ...world.maintenance, link: { ...world.maintenance.link, raiseEpochs } }
  const target = { repository: repo(bert), hash: hash('unused') }
  await expect(deleteContent(maintenance, target, { isDryRun: false })).rejects.toThrow(
    HubLinkError,
  )
  expect([world.raised(), await waiting(world)]).toEqual([[false, false], 1])
  await collect(world.maintenance, { now: world.now(), isDryRun: false })
  expect([world.raised(), await waiting(world)]).toEqual([[true, false], 0])
})

test('what is noted while the hub is being told is told, too', async () => {
  const world = await openMaintenanceWorld()
  const { database, maintenance, link } = world
  const ours = await world.place(bert, 'main')
  const theirs = await world.place(other, 'main')
  await maintenance.change((tables) => noteRemoval(tables, ours.repositoryUid))
  const told: (readonly string[])[] = []
  await deliverEpochs(database, {
    async raiseEpochs(uids) {
      told.push(uids)
      if (told.length === 1) {
        await maintenance.change((tables) => noteRemoval(tables, theirs.repositoryUid))
      }
      await link.raiseEpochs(uids)
    },
  })
  expect(told).toEqual([[ours.repositoryUid], [theirs.repositoryUid]])
  expect([world.raised(), await waiting(world)]).toEqual([[true, true], 0])
})
