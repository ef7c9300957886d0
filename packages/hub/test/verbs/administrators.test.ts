import { type AdminScope, adminScopes } from '@latchkey/admin-api'
import { formatTime, unixSeconds } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnlimited, mayUse, refuseBeyondOwnGroups } from '../../src/verbs/administrators.ts'
import { administrator, openDirectory } from './open-directory.ts'

async function withAccounts() {
  const directory = await openDirectory()
  await directory.done('account create', { name: 'ada', administrator: true })
  await directory.done('account create', { name: 'bob' })
  return directory
}

const denied = {
  code: 'permission_denied',
  missing: 'an admin hub token that is not limited to admin scopes',
}
const admin = { account: 'ada', name: 'robot', kind: 'admin' }
const storage = { account: 'bob', name: 'cas', kind: 'storage' }

/** Every verb group but `apply`, which is no limit. */
const everyGroup = adminScopes.filter((group) => group !== 'apply')

test('a limited admin token cannot make an administrator', async () => {
  const directory = await withAccounts()
  directory.actor = administrator(['account', 'hub-token'])
  for (const [words, input] of [
    ['account create', { name: 'eve', administrator: true }],
    ['account set', { account: 'bob', administrator: true }],
  ] as const) {
    expect(await directory.run(words, input)).toMatchObject(denied)
  }
})

test('a limited admin token cannot disable, enable, demote or delete an administrator', async () => {
  const directory = await withAccounts()
  directory.actor = administrator(['account'])
  for (const change of [{ disabled: true }, { disabled: false }, { administrator: false }]) {
    expect(await directory.run('account set', { account: 'ada', ...change })).toMatchObject(denied)
  }
  expect(await directory.run('account delete', { account: 'ada' })).toMatchObject(denied)
})

// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test('a limited admin token cannot make an admin token that reaches further', async () => {
  const directory = await withAccounts()
  directory.actor = administrator(['hub-token', 'account'])
  for (const groups of [undefined, ['apply'], ['account', 'repository']]) {
    const limit = groups === undefined ? {} : { adminScopes: groups }
    expect(await directory.run('hub-token create', { ...admin, ...limit })).toMatchObject(denied)
  }
})

// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test('a limited admin token cannot change an admin token that reaches further', async () => {
  const directory = await withAccounts()
  const { id: wide } = await directory.done('hub-token create', admin)
  const narrow = { ...admin, name: 'narrow', adminScopes: ['account'] }
  const { id: other } = await directory.done('hub-token create', narrow)
  directory.actor = administrator(['hub-token', 'account'])
  const { run } = directory
  const inTime = { expiresAt: '2030-01-01T00:00:00Z' }
  expect(await run('hub-token set', { hubToken: wide, ...inTime })).toMatchObject(denied)
  expect(await run('hub-token set', { hubToken: wide, adminScopes: ['account'] })).toMatchObject(
    denied,
  )
  expect(await run('hub-token set', { hubToken: other, adminScopes: ['apply'] })).toMatchObject(
    denied,
  )
  expect(await run('hub-token set', { hubToken: other, ...inTime })).not.toHaveProperty('code')
})

test('a limited admin token cannot revoke an admin token that reaches further', async () => {
  const directory = await withAccounts()
  const { id: hubToken } = await directory.done('hub-token create', admin)
  directory.actor = administrator(['hub-token', 'account'])
  expect(await directory.run('hub-token revoke', { hubToken })).toMatchObject({
    code: 'permission_denied',
  })
})

test('a limited admin token makes, changes and revokes no storage token, whatever its groups', async () => {
  const directory = await withAccounts()
  const { id: hubToken } = await directory.done('hub-token create', storage)
  directory.actor = administrator(everyGroup)
  const { run } = directory
  const inTime = { expiresAt: '2030-01-01T00:00:00Z' }
  expect(await run('hub-token create', { ...storage, name: 'other' })).toMatchObject(denied)
  expect(await run('hub-token set', { hubToken, ...inTime })).toMatchObject(denied)
  expect(await run('hub-token revoke', { hubToken })).toMatchObject(denied)
})

test('a limited admin token enables no account that has a storage token', async () => {
  const directory = await withAccounts()
  const { id: hubToken } = await directory.done('hub-token create', storage)
  await directory.done('account set', { account: 'bob', disabled: true })
  const enable = { account: 'bob', disabled: false }
  directory.actor = administrator(everyGroup)
  expect(await directory.run('account set', enable)).toMatchObject(denied)
  directory.actor = undefined
  await directory.done('hub-token revoke', { hubToken })
  directory.actor = administrator(everyGroup)
  await directory.done('account set', enable)
})

/** An admin token that ends in 100 s, and times before and after that. */
async function withEndingActor(adminScopes?: readonly AdminScope[]) {
  const directory = await withAccounts()
  const inSeconds = (seconds: number) => formatTime(unixSeconds(directory.now + seconds))
  const end = () => {
    directory.actor = {
      ...administrator(adminScopes),
      expiresAt: unixSeconds(directory.now + 100),
    }
  }
  const tooLate = { code: 'permission_denied', missing: `an expiry up to ${inSeconds(100)}` }
  return { directory, end, tooLate, inTime: inSeconds(100), later: inSeconds(101) }
}

const grants = [{ on: '*', contents: 'write' }]
const everyKind = [
  { account: 'bob', name: 'new', kind: 'read' },
  { account: 'bob', name: 'new', kind: 'write' },
  { account: 'bob', name: 'new', kind: 'fine-grained', grants },
  { account: 'ada', name: 'new', kind: 'admin' },
  { account: 'ada', name: 'new', kind: 'admin', adminScopes: ['hub-token'] },
  { account: 'bob', name: 'new', kind: 'storage' },
]

// conformance: Guarantees / A limited admin hub token creates nothing that outlives it
// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test.each(everyKind)(
  'an ending admin token makes no $kind token that outlives it',
  async (wish) => {
    const { directory, end, tooLate, inTime, later } = await withEndingActor()
    end()
    for (const expiry of [{}, { expiresAt: 'never' }, { expiresAt: later }]) {
      expect(await directory.run('hub-token create', { ...wish, ...expiry })).toMatchObject(tooLate)
    }
    await directory.done('hub-token create', { ...wish, expiresAt: inTime })
  },
)

// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test.each(everyKind)(
  'an ending admin token changes no $kind token that outlives it',
  async (wish) => {
    const { directory, end, tooLate, inTime, later } = await withEndingActor()
    const { id: hubToken } = await directory.done('hub-token create', wish)
    end()
    const carried = wish.kind === 'fine-grained' ? { grants } : {}
    for (const change of [carried, { expiresAt: 'never' }, { expiresAt: later }]) {
      expect(await directory.run('hub-token set', { hubToken, ...change })).toMatchObject(tooLate)
    }
    await directory.done('hub-token set', { hubToken, expiresAt: inTime })
    expect(await directory.run('hub-token set', { hubToken, expiresAt: later })).toMatchObject(
      tooLate,
    )
    await directory.done('hub-token revoke', { hubToken })
  },
)

// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test.each(everyKind)(
  'an ending admin token applies no file with a $kind token that outlives it',
  async (wish) => {
    const { directory, end, tooLate, inTime, later } = await withEndingActor(['apply'])
    const old = { account: 'bob', name: 'old', kind: 'write' }
    await directory.apply({ hubTokens: [old] })
    end()
    for (const expiry of [{}, { expiresAt: later }]) {
      const made = await directory.apply({ hubTokens: [{ ...wish, ...expiry }] })
      expect(made).toMatchObject({ ...tooLate, path: 'hubTokens[0].expiresAt' })
    }
    // A token that the file leaves as it is counts as unchanged.
    const file = { hubTokens: [old, { ...wish, expiresAt: inTime }] }
    expect(await directory.apply(file)).not.toHaveProperty('code')
    const prolonged = { hubTokens: [{ ...old, expiresAt: later }] }
    expect(await directory.apply(prolonged)).toMatchObject(tooLate)
  },
)

// conformance: Attacks / 40. An attacker exceeds a limited admin hub token with a new token
test.each([
  ['enabling its account', { disabled: true }, { disabled: false }, 'write'],
  ['appointing its account', { administrator: false }, { administrator: true }, 'admin'],
])('an ending admin token revives no hub token that outlives it by %s', async (...given) => {
  const [, before, after, kind] = given
  const { directory, end, inTime, later } = await withEndingActor()
  const revives = { code: 'permission_denied', missing: 'an admin hub token that ends later' }
  await directory.done('account create', { name: 'eve', administrator: true })
  const wish = { account: 'eve', kind, expiresAt: later }
  const { id: hubToken } = await directory.done('hub-token create', { ...wish, name: 'a' })
  await directory.done('hub-token create', { ...wish, name: 'b', expiresAt: inTime })
  await directory.done('account set', { account: 'eve', ...before })
  end()
  expect(await directory.run('account set', { account: 'eve', ...after })).toMatchObject(revives)
  const file = { accounts: [{ name: 'eve', ...after }] }
  expect(await directory.apply(file)).toMatchObject({ ...revives, path: 'accounts[0]' })
  await directory.done('hub-token revoke', { hubToken })
  await directory.done('account set', { account: 'eve', ...after })
})

test('a limited admin token that ends cannot prolong itself', async () => {
  const { directory, end, tooLate, inTime } = await withEndingActor(['hub-token'])
  const own = { ...admin, adminScopes: ['hub-token'], expiresAt: inTime }
  const { id: hubToken } = await directory.done('hub-token create', own)
  end()
  const later = { hubToken, expiresAt: 'never' }
  expect(await directory.run('hub-token set', later)).toMatchObject(tooLate)
})

test('a limited admin token can do the rest of its groups, and revoke what reaches no further', async () => {
  const directory = await withAccounts()
  directory.actor = administrator(['hub-token', 'account'])
  await directory.done('account create', { name: 'eve' })
  await directory.done('account set', { account: 'bob', disabled: true })
  await directory.done('account delete', { account: 'bob' })
  await directory.done('hub-token create', { ...admin, name: 'narrow', adminScopes: ['account'] })
  const eve = { account: 'eve', name: 'x', kind: 'write' }
  const { id: hubToken } = await directory.done('hub-token create', eve)
  await directory.done('hub-token revoke', { hubToken })
})

test.each([
  ['the machine itself', undefined],
  ['an unlimited admin token', administrator()],
  ['an admin token with the group apply', administrator(['apply'])],
])('%s can make administrators, unlimited admin tokens and storage tokens', async (_, actor) => {
  const directory = await withAccounts()
  directory.actor = actor
  await directory.done('account set', { account: 'bob', administrator: true })
  await directory.done('hub-token create', { ...admin, account: 'bob' })
  await directory.done('hub-token create', storage)
})

test('what a limited admin token can make reaches no verb that it does not reach itself', () => {
  const groups = fc.uniqueArray(fc.constantFrom(...adminScopes), { minLength: 1 })
  fc.assert(
    fc.property(groups, fc.option(groups, { nil: undefined }), (own, wanted) => {
      const maker = administrator(own)
      if (refuseBeyondOwnGroups(maker, wanted) !== undefined) return
      const made = administrator(wanted)
      expect(isUnlimited(made) && !isUnlimited(maker)).toBe(false)
      for (const group of adminScopes) {
        if (mayUse(made, group)) expect(mayUse(maker, group)).toBe(true)
      }
    }),
  )
})
