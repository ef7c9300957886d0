/** The hub rotates its keys while a storage runs. */

import { makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { expect, onTestFinished, test } from 'vitest'
import { openStage } from '../stage.ts'

test('a running storage accepts tokens of a key that the hub has published since', async () => {
  const stage = await openStage()
  onTestFinished(() => stage.close())
  const repository = await stage.newRepository()
  const xorb = makeXorb(randomChunks('rotated', 1, 100))
  const before = await stage.caller(`write ${repository}@main`)
  expect((await before.upload(xorb)).status).toBe(200)

  await stage.world.done('keys rotate', {})
  stage.world.passSeconds(3600)
  await stage.world.done('keys rotate', {})
  const after = await stage.caller(`write ${repository}@main`)
  expect(kidOf(after)).not.toBe(kidOf(before))
  expect((await after.upload(xorb)).status).toBe(200)
})

function kidOf({ token }: { readonly token: string }): unknown {
  const [header = ''] = token.split('.')
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
}
