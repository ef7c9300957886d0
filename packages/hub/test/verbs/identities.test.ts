/** Linking people of identity providers to accounts. */

import { unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { administrator, openDirectory } from './open-directory.ts'

const inTime = unixSeconds(2_000_000_000)
const identity = { issuer: 'https://login.example', subject: 'ada-1' }

async function opened() {
  const directory = await openDirectory()
  await directory.done('account create', { name: 'ada' })
  await directory.done('account create', { name: 'root', administrator: true })
  return directory
}

test('an identity is linked to one account, listed, and unlinked from that account alone', async () => {
  const { done, run } = await opened()
  const link = { account: 'ada', provider: 'corp', ...identity }
  expect(await done('account link', link)).toMatchObject({ account: 'ada', ...identity })
  expect(await run('account link', { ...link, account: 'root' })).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('"ada"'),
  })
  expect(await done('identity list', { account: 'ada' })).toMatchObject({
    items: [identity],
    total: 1,
  })
  const other = { account: 'root', ...identity }
  expect(await run('account unlink', other)).toMatchObject({ code: 'resource_not_found' })
  await done('account unlink', { account: 'ada', ...identity })
  expect(await done('identity list', { account: 'ada' })).toMatchObject({ items: [] })
})

test('who may not make such a hub token may not link either', async () => {
  const directory = await opened()
  directory.actor = administrator(['hub-token'])
  const link = { provider: 'corp', ...identity }
  expect(await directory.run('account link', { account: 'root', ...link })).toMatchObject({
    code: 'permission_denied',
  })
  directory.actor = { ...administrator(['hub-token']), expiresAt: inTime }
  expect(await directory.run('account link', { account: 'ada', ...link })).toMatchObject({
    code: 'permission_denied',
  })
})
