import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { afterAll, beforeAll, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

const as = 'maintainer/write'

async function addressOf(what: string): Promise<string> {
  const { status, json } = await ask(world, what, { as })
  expect(status).toBe(200)
  return String(json['casUrl'])
}

/** As another process does when it has removed content of the repository. */
async function raiseEpoch(path: string): Promise<void> {
  await writeTables(world.store.directory, (tables) =>
    tables
      .updateTable('repositories')
      .set(({ eb }) => ({ epoch: eb('epoch', '+', 1) }))
      .where('path', '=', path)
      .execute(),
  )
}

test('a repository whose content was removed has another address from then on, others do not', async () => {
  const asked = ['read models/acme/bert@main', 'write models/acme/bert@release/1'] as const
  const before = [await addressOf(asked[0]), await addressOf(asked[1])]
  const open = await addressOf('read models/acme/open@main')
  for (const epoch of [1, 2]) {
    await raiseEpoch('models/acme/bert')
    const after = [await addressOf(asked[0]), await addressOf(asked[1])]
    expect(after).toEqual(before.map((url) => `${url}-${epoch}`))
  }
  expect(await addressOf('read models/acme/open@main')).toBe(open)
})

test('changing a repository, or applying its file again, leaves its address as it is', async () => {
  await raiseEpoch('models/acme/open')
  const before = await addressOf('read models/acme/open@main')
  await world.done('repo set', { repository: 'models/acme/open', visibility: 'public' })
  await world.apply(acme)
  expect(await addressOf('read models/acme/open@main')).toBe(before)
})

// conformance: Embedded storage / The storage URL changes when cached content is removed
test('a repository that loses a ref has another address from the next request on, and none comes twice', async () => {
  const repository = 'models/acme/bert'
  const given = new Set<string>()
  for (const ref of ['dev', 'release/1']) {
    given.add(await addressOf('read models/acme/bert@main'))
    await world.done('ref delete', { repository, ref })
  }
  given.add(await addressOf('read models/acme/bert@main'))
  expect([...given]).toHaveLength(3)
})
