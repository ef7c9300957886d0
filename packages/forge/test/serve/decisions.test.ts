/** A commit is decided twice: before its body is read, and in the transaction that moves its branch. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const counted = vi.hoisted(() => ({ decisions: 0 }))

type Module = typeof import('../../../hub/src/permission/decide-permission.ts')

vi.mock('../../../hub/src/permission/decide-permission.ts', async (original) => {
  const { decidePermission } = await original<Module>()
  return {
    decidePermission(...wanted: Parameters<typeof decidePermission>) {
      counted.decisions += 1
      return decidePermission(...wanted)
    },
  }
})

describe.skipIf(!isGitThere)('a forge decides', () => {
  let world: LargeWorld
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('bert')
  })
  afterAll(() => world?.stopped())

  /** The decisions that an answer took, and its status. */
  async function decisionsOf(ask: () => Promise<{ readonly status: number }>) {
    const before = counted.decisions
    const { status } = await ask()
    return [counted.decisions - before, status]
  }

  const lines = (more: object, files: readonly object[] = []) => [
    { key: 'header', value: { summary: 'a commit', ...more } },
    ...files,
  ]

  test('a commit of small files twice', async () => {
    const commit = () => world.commit('bert', { 'a.txt': 'a' })
    expect(await decisionsOf(commit)).toEqual([2, 200])
    // The same again changes nothing, so no transaction decides.
    expect(await decisionsOf(commit)).toEqual([2, 200])
  })

  test('a commit of large files twice', async () => {
    const bytes = Buffer.from('large')
    const { sha256: oid } = world.storage.put(await world.casUrl('bert'), bytes)
    const value = { path: 'a.bin', algo: 'sha256', oid, size: bytes.length }
    const body = lines({}, [{ key: 'lfsFile', value }])
    const commit = () => world.ask('/api/models/acme/bert/commit/main', { as: 'writer', body })
    expect(await decisionsOf(commit)).toEqual([2, 200])
  })

  test('a commit anew whose content is missing, when the repository was deleted meanwhile', async () => {
    await world.create('deleted')
    const value = { path: 'a.bin', algo: 'sha256', oid: 'a'.repeat(64), size: 5 }
    const body = lines({}, [{ key: 'lfsFile', value }])
    const commit = () => world.ask('/api/models/acme/deleted/commit/main', { as: 'writer', body })
    expect((await commit()).status).toBe(400)
    world.storage.meanwhile = async () => {
      await world.done('repo delete', { repository: 'models/acme/deleted' })
      world.storage.meanwhile = async () => {}
    }
    expect((await commit()).status).toBe(404)
  })

  test('a commit once that it refuses at the door', async () => {
    const commit = () => world.commit('bert', { 'b.txt': 'b' }, { as: 'reader' })
    expect(await decisionsOf(commit)).toEqual([1, 403])
  })

  test('a commit twice that it refuses by what the branch has', async () => {
    const parentCommit = '1'.repeat(40)
    const commit = () => world.commit('bert', { 'c.txt': 'c' }, { parentCommit })
    expect(await decisionsOf(commit)).toEqual([2, 412])
  })
})
