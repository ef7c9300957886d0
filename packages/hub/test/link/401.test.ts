import { Secret } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { askLink, everyQuestion, startLinked } from './ask-link.ts'

test('no question is answered without a hub token, nor with one that is not valid', async () => {
  const world = await startLinked()
  for (const [what, asked] of everyQuestion) {
    const missing = await askLink(world, what, { ...asked, as: undefined })
    expect([missing.status, missing.json['code']]).toEqual([401, 'hub_token_missing'])
    for (const text of ['x', 'embedded_x', `embedded_${'0'.repeat(49)}`, `lk_${'0'.repeat(49)}`]) {
      const as = new Secret('hub-token', text)
      const { status, json, headers } = await askLink(world, what, { ...asked, as })
      expect([text, status, json['code']]).toEqual([text, 401, 'hub_token_invalid'])
      expect(headers.get('www-authenticate')).toMatch(/error="invalid_token"/)
    }
  }
})

test.each([
  ['revoked', async ({ done }, hubToken) => done('hub-token revoke', { hubToken })],
  [
    'of a disabled account',
    async ({ done }) => done('account set', { account: 'cas', disabled: true }),
  ],
  ['of a deleted account', async ({ done }) => done('account delete', { account: 'cas' })],
  [
    'expired',
    async (world, hubToken) => {
      const expiresAt = new Date((world.now() + 5) * 1000).toISOString()
      await world.done('hub-token set', { hubToken, expiresAt })
      world.passSeconds(5)
    },
  ],
] satisfies [
  string,
  (world: Awaited<ReturnType<typeof startLinked>>, id: unknown) => Promise<unknown>,
][])('a storage token that is %s opens nothing any more', async (_, end) => {
  const world = await startLinked()
  const { items } = await world.done('hub-token list', { account: 'cas' })
  const listed = items as readonly { id: string; name: string }[]
  expect((await askLink(world, 'changes')).status).toBe(200)
  await end(world, listed.find(({ name }) => name === 'link')?.id)
  for (const [what, asked] of everyQuestion) {
    expect((await askLink(world, what, asked)).status, what).toBe(401)
  }
})
