/** What a reader proposes becomes a pull request of its own, or leaves nothing. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const header = { key: 'header', value: { summary: 'a proposal' } }
const small = { key: 'file', value: { path: 'a.txt', content: 'a' } }

describe.skipIf(!isGitThere)('a reader who proposes', () => {
  let world: LargeWorld
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('proposals')
  })
  afterAll(() => world?.stopped())

  const propose = (line: object) =>
    world.ask(`/api/models/acme/proposals/commit/main?create_pr=1`, {
      ...{ as: 'reader', body: [header, line] },
    })

  test('content that is not there takes no number', async () => {
    const oid = 'a'.repeat(64)
    const value = { path: 'large.bin', algo: 'sha256', oid, size: 5 }
    expect((await propose({ key: 'lfsFile', value })).status).toBe(400)
    const { status, json } = await propose(small)
    expect([status, json.pullRequestUrl]).toEqual([
      200,
      'https://hub.example/acme/proposals/discussions/1',
    ])
  })

  test('by a query that cannot be decoded is refused: without it the commit would go to main', async () => {
    const before = await world.ask('/api/models/acme/proposals/refs', { as: 'reader' })
    const asWriter = await world.ask(
      '/api/models/acme/proposals/commit/main?create_pr=1&more=%zz',
      {
        ...{ as: 'writer', body: [header, small] },
      },
    )
    expect(asWriter.status).toBe(400)
    const after = await world.ask('/api/models/acme/proposals/refs', { as: 'reader' })
    expect(after.json).toEqual(before.json)
  })
})
