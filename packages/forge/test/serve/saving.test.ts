/** Deleting a branch: what becomes of it while its content is being saved for others. */

import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

/** A model whose branch dev has two commits of its own, each with another large file. */
async function open(more: Parameters<typeof startLargeForge>[1] = {}) {
  const world = await startLargeForge({}, more)
  onTestFinished(world.stopped)
  await world.create('saved')
  const branch = '/api/models/acme/saved/branch/dev'
  await world.ask(branch, { as: 'writer', body: {} })
  const commits: string[] = []
  for (const _ of [1, 2]) {
    const { made } = await world.commitLarge('saved', 'large.bin', randomBytes(300), 'dev')
    commits.push(made.json.commitOid)
  }
  const remove = () => world.ask(branch, { as: 'writer', method: 'DELETE' })
  return { world, commits, remove }
}

const refsOf = async (world: LargeWorld) => {
  const { json } = await world.ask('/api/models/acme/saved/refs', { as: 'writer' })
  return json.branches.map(({ name }: { name: string }) => name)
}

// conformance: Forge / Content follows refs
test.skipIf(!isGitThere)(
  'a ref that a command of the hub moves meanwhile is saved, too; moved after that, it keeps the branch from being deleted',
  async () => {
    const { world, commits, remove } = await open()
    const [first, second] = commits
    const moveMain = (commit: string | undefined) =>
      world.done('ref set', { repository: 'models/acme/saved', ref: 'main', commit })
    await moveMain(first)
    const main = new URL(await world.casUrl('saved')).pathname
    const moves = [second, first]
    world.storage.meanwhile = async (asked) => {
      const isMains = asked === `POST ${main}/v1/shards/adopt`
      if (isMains && moves.length > 0) await moveMain(moves.shift())
    }
    expect([(await remove()).status, moves, await refsOf(world)]).toEqual([
      ...[409, [], ['dev', 'main']],
    ])
    expect([(await remove()).status, await refsOf(world)]).toEqual([200, ['main']])
  },
)

test.skipIf(!isGitThere)(
  'a branch whose content takes too long to save stays, and its client is told to come back',
  async () => {
    const { world, remove } = await open({ bounds: { savingMs: 1 } })
    const { status, headers, json } = await remove()
    expect([status, headers.get('retry-after'), json.code]).toEqual([503, '1', 'not_ready'])
    expect(await refsOf(world)).toEqual(['dev', 'main'])
  },
)
