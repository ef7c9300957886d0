/** Leaked tokens that are posted are dead, and the answer does not tell which of them were alive. */

import { rounds } from '@latchkey/testing/chance'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, hubToken } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alike, post } from './post.ts'
import { claimsIn, cutsIn, isDead, tokenFor } from './taken-back.ts'

const main = 'read models/acme/bert@main'

/** A report takes a thousand. */
const reported = rounds(100, 1000)
/** Enough that their storage tokens are cut one by one. */
const hubTokens = reported / 20
const many = Array.from({ length: hubTokens }, (_, index) => ({
  account: 'writer',
  name: `ci-${index}`,
  kind: 'write',
}))

let world: World
beforeEach(async () => {
  world = await startWorld({ ...acme, hubTokens: [...acme.hubTokens, ...many] })
})
afterEach(() => world.close())

const mine = () => tokenFor(world, main, 'writer/write')
const times = <Result>(count: number, make: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

async function inTurn<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  for (const item of items) results.push(await act(item))
  return results
}

/** Of every token whether it is dead. */
const dead = (tokens: readonly string[]) => Promise.all(tokens.map((token) => isDead(world, token)))

test(`${reported} storage tokens in one report are all dead, by one entry, and others live on`, async () => {
  const leaked = await times(reported, (index) =>
    tokenFor(world, main, `writer/ci-${index % hubTokens}`),
  )
  const others = await times(hubTokens, (index) => tokenFor(world, main, `writer/ci-${index}`))
  const before = await cutsIn(world)
  expect((await post(world, { tokens: leaked })).status).toBe(202)
  const { rows, entries } = await cutsIn(world)
  expect(entries.slice(before.entries.length)).toMatchObject([
    { verb: 'revoke', thing: 'cut-off', actor_account: null, actor_user: null, narrows: 1 },
  ])
  const ids = leaked.map((token) => claimsIn(token).jti)
  expect(rows.map(({ kind, id }) => `${kind}:${id}`).sort()).toEqual(
    ids.map((id) => `token:${id}`).sort(),
  )
  expect(new Set(await dead([leaked[0] ?? '', leaked.at(-1) ?? '']))).toEqual(new Set([true]))
  expect(new Set(await dead(others.slice(0, 5)))).toEqual(new Set([false]))
})

describe('live, dead, expired, foreign and invented tokens', () => {
  test('get the same answer, byte for byte', async () => {
    const invented = `lk_${'a'.repeat(49)}`
    const live = await mine()
    const expired = await mine()
    world.passSeconds(900 + 61)
    const reports: readonly unknown[] = [
      { token: await mine() },
      { token: hubToken(world, 'guest/write') },
      { token: live },
      { token: live },
      { token: hubToken(world, 'guest/write') },
      { token: expired },
      { token: invented },
      { token: '' },
      { tokens: [await mine(), invented] },
      [{ token: await mine(), type: 'latchkey', url: 'https://x.example', source: 'content' }],
    ]
    const answers = await inTurn(reports, (report) => post(world, report))
    for (const answer of answers) expect(alike(answer)).toEqual(alike(answers[0] ?? answer))
    expect(answers[0]).toMatchObject({ status: 202, text: '{"status":"accepted"}' })
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(answers.length)
  })

  test('that are not alive write nothing', async () => {
    const [gone, expired] = [await mine(), await mine()]
    await post(world, { tokens: [gone, hubToken(world, 'guest/write')] })
    const anonymous = await tokenOfAnonymous()
    const before = await cutsIn(world)
    const foreign = await ofAnotherHub()
    const revoked = hubToken(world, 'guest/write')
    const shaped = `lk_${'a'.repeat(49)}`
    const mistyped = `${hubToken(world, 'reader/write').slice(0, -1)}!`
    const forged = `${(await mine()).slice(0, -8)}AAAAAAAA`
    const tokens = [gone, foreign, revoked, shaped, mistyped, forged, anonymous]
    expect((await post(world, { tokens })).status).toBe(202)
    world.passSeconds(900 + 61)
    expect((await post(world, { tokens: [expired] })).status).toBe(202)
    expect(await cutsIn(world)).toEqual(before)
  })
})

describe('a hub token', () => {
  test('of any kind is revoked for good, with an entry of its own, and its storage tokens end', async () => {
    const token = await mine()
    const names = ['writer/write', 'ci-bot/main-only', 'maintainer/admin']
    const before = await cutsIn(world)
    await post(world, { tokens: [...names.map((name) => hubToken(world, name)), token] })
    const { rows, entries } = await cutsIn(world)
    const made = entries.slice(before.entries.length)
    expect(made.map(({ verb, did, account }) => `${verb} ${did} ${account}`).sort()).toEqual([
      'revoke revoked ci-bot',
      'revoke revoked maintainer',
      'revoke revoked writer',
    ])
    // A cut-off of its own would be one too many.
    expect(rows.map(({ kind }) => kind)).toEqual(['hub-token', 'hub-token'])
    expect(await dead([token])).toEqual([true])
    expect((await ask(world, main, { as: 'writer/write' })).status).toBe(401)
    expect((await ask(world, '/admin/v1/accounts', { as: 'maintainer/admin' })).status).toBe(401)
  })

  test('whose account is disabled or that has expired is revoked too: both could be undone', async () => {
    await world.done('account set', { account: 'guest', disabled: true })
    await post(world, { token: hubToken(world, 'guest/write') })
    await world.done('account set', { account: 'guest', disabled: false })
    expect((await ask(world, main, { as: 'guest/write' })).status).toBe(401)
  })
})

describe('many storage tokens of one hub token', () => {
  const ofOne = (count: number) => times(count, mine)

  test('up to 20 are cut one by one', async () => {
    const leaked = await ofOne(20)
    const other = await mine()
    await post(world, { tokens: [...leaked, ...leaked] })
    const { rows } = await cutsIn(world)
    expect(rows.map(({ kind }) => kind)).toEqual(Array(20).fill('token'))
    expect(await dead([...leaked.slice(-1), other])).toEqual([true, false])
  })

  test('with more, all that it got until now end by one cut-off, and the hub token lives', async () => {
    const leaked = await ofOne(21)
    const other = await mine()
    await post(world, { tokens: leaked })
    const { rows } = await cutsIn(world)
    expect(rows.map(({ kind }) => kind)).toEqual(['hub-token'])
    expect(await dead([...leaked.slice(-1), other, await mine()])).toEqual([true, true, false])
  })

  test('those of earlier reports count, so that one by one they do not fill the list', async () => {
    for (const half of [await ofOne(11), await ofOne(10), await ofOne(1)]) {
      await post(world, { tokens: half })
    }
    const { rows } = await cutsIn(world)
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['hub-token', ...Array(11).fill('token')])
    expect(await dead([await mine()])).toEqual([false])
  })
})

async function tokenOfAnonymous(): Promise<string> {
  const open = await startWorld(acme, { anonymousPublicRead: true, data: world.settings.data })
  try {
    const { json } = await ask(open, 'read models/acme/open@main')
    return json.accessToken ?? ''
  } finally {
    await open.hub.stop()
    open.store.close()
  }
}

async function ofAnotherHub(): Promise<string> {
  const other = await startWorld(acme)
  try {
    return await tokenFor(other, main, 'writer/write')
  } finally {
    await other.close()
  }
}
