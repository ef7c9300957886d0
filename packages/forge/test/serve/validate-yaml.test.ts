/** Cards are validated for everyone, and nobody can ask without end. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'

describe.skipIf(!isGitThere)('a hub with a forge', () => {
  let world: ForgeWorld
  const limits = { requestsPerMinute: 4, failuresPerMinute: 300, connections: 100 }
  beforeAll(async () => {
    world = await startForge({ limits })
  })
  afterAll(() => world?.stopped())

  const validate = (yaml: string, as?: 'reader') =>
    world.ask('/api/validate-yaml', { as, body: { content: `---\n${yaml}\n---\n` } })

  test('validates a card without a hub token, as often as an address may ask without one', async () => {
    const good = await validate('? tags\n: &t [!!str 1, b]\nlanguage: *t')
    expect([good.status, good.json]).toEqual([200, { errors: [], warnings: [] }])
    const bad = await validate('a: 1\ntags: *none')
    const message = 'Line 3 has the alias *none of no anchor above.'
    expect([bad.status, bad.json.errors]).toEqual([400, [{ message }]])
    const statuses = [await validate('a: 1'), await validate('a: 1'), await validate('a: 1')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect((await validate('a: 1', 'reader')).status).toBe(200)
  })
})
