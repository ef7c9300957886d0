import { startWorld } from '@latchkey/testing/hub/world'
import { afterAll, expect, it } from 'vitest'
import { findDemoToken } from '../../src/data/demo-tokens.ts'

const world = await startWorld({ accounts: [{ name: 'ada' }] })
afterAll(() => world.close())

it('no hub token is derived where the data are real', async () => {
  const { data, masterKey, hubTokenPrefix } = world.settings
  const secrets = { data, masterKey, hubTokenPrefix, now: world.now() }
  const found = world.store.directory.read((tables) =>
    findDemoToken(tables, secrets, { account: 'ada', name: 'demo-write' }),
  )
  await expect(found).rejects.toThrow('in a demo only')
})
