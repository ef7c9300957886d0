/** The verbs of the keys on a directory: what they say, what they change, and what they leave alone. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { type Answer, type Opened, openDirectory } from '../verbs/open-directory.ts'

interface Shown {
  readonly kid: string
  readonly purpose: string
  readonly state: string
  readonly next?: string
  readonly nextAt?: string
}

async function shown({ done }: Opened): Promise<readonly Shown[]> {
  const { items } = await done('keys list')
  return items as readonly Shown[]
}

async function kidIn(opened: Opened, state: string): Promise<string> {
  return (await shown(opened)).find((key) => key.state === state)?.kid ?? ''
}

async function entries({ done }: Opened): Promise<readonly Answer[]> {
  const { items } = await done('changes', { limit: 1000 })
  return (items as readonly Answer[]).filter(({ thing }) => thing === 'key')
}

function pass(opened: Opened, seconds: number): void {
  opened.now = unixSeconds(opened.now + seconds)
}

test('a rotation by hand publishes, waits, hands over, waits and removes', async () => {
  const opened = await openDirectory()
  const { run, done } = opened
  const first = String((await done('keys rotate'))['signing'])
  const published = await done('keys rotate')
  expect(published).toMatchObject({
    signing: first,
    done: [/is published/].map((words) => expect.stringMatching(words)),
  })
  expect(published['next']).toContainEqual(expect.stringMatching(/ signs at 2027-01-15T08:10:00Z$/))
  pass(opened, 599)
  expect(await run('keys rotate')).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('2027-01-15T08:10:00Z'),
  })
  pass(opened, 1)
  const next = await kidIn(opened, 'published')
  expect(await done('keys rotate')).toMatchObject({ signing: next })
  expect(await kidIn(opened, 'retiring')).toBe(first)
  pass(opened, 1319)
  expect(await run('keys retire', { kid: first })).toMatchObject({ code: 'conflict' })
  pass(opened, 1)
  await done('keys retire', { kid: first })
  expect((await shown(opened)).map(({ kid, state }) => [kid, state])).toEqual([[next, 'signing']])
})

test('a list says the state of every key, since when, and what comes next', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate')
  expect(await shown(opened)).toMatchObject([
    {
      purpose: 'tokens',
      alg: 'ES256',
      state: 'signing',
      since: '2027-01-15T08:00:00Z',
      next: 'gets a successor',
      nextAt: '2027-03-01T08:00:00Z',
    },
  ])
  pass(opened, 100)
  await opened.done('keys rotate')
  const byState = new Map((await shown(opened)).map((key) => [key.state, key]))
  expect(byState.get('published')).toMatchObject({ next: 'signs', nextAt: '2027-01-15T08:11:40Z' })
  expect(byState.get('signing')).toMatchObject({ next: 'retires', nextAt: '2027-01-15T08:11:40Z' })
  pass(opened, 600)
  await opened.done('keys rotate')
  const [retiring] = (await shown(opened)).filter(({ state }) => state === 'retiring')
  expect(retiring).toMatchObject({
    since: '2027-01-15T08:11:40Z',
    next: 'is removed',
    nextAt: '2027-01-15T08:33:40Z',
  })
})

test('a page of the list goes on where the one before ended', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate')
  await opened.done('keys rotate', { use: 'revocations' })
  const first = await opened.done('keys list', { limit: 1 })
  expect(first).toMatchObject({ total: 2, next: expect.any(String) })
  const second = await opened.done('keys list', { limit: 1, after: first['next'] })
  const all = [first, second].flatMap(({ items }) => items)
  expect(all).toEqual((await opened.done('keys list'))['items'])
  expect(second).not.toHaveProperty('next')
})

test('a compromised key leaves at once with every other of its use, and the answer says the cost', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate', { use: 'revocations' })
  await opened.done('keys rotate')
  await opened.done('keys rotate')
  const before = await shown(opened)
  const answer = await opened.done('keys rotate', { compromised: true })
  expect(answer['cost']).toMatch(
    /^By default, .*a removed key signed within 9 s\. .*whenStale set to allow/,
  )
  expect(answer['cost']).toMatch(/transfers of Hugging Face clients fail.* may get 503\.$/)
  const after = await shown(opened)
  const tokens = after.filter(({ purpose }) => purpose === 'tokens')
  expect(tokens).toMatchObject([{ kid: answer['signing'], state: 'signing' }])
  expect(before.map(({ kid }) => kid)).not.toContain(answer['signing'])
  expect(after.filter(({ purpose }) => purpose === 'revocations')).toEqual(
    before.filter(({ purpose }) => purpose === 'revocations'),
  )
})

test('the removal of a key is an entry that narrows, and no entry has key material', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate')
  const kid = await kidIn(opened, 'signing')
  await opened.done('keys retire', { kid, compromised: true })
  const told = await entries(opened)
  expect(told.map(({ did, narrows, verb }) => [did, narrows, verb])).toEqual([
    ['created', false, 'keys rotate'],
    ['created', false, 'keys retire'],
    ['deleted', true, 'keys retire'],
  ])
  expect(told[2]?.['before']).toMatchObject({ kid, purpose: 'tokens', maxLifetime: 900 })
  expect(JSON.stringify(told)).not.toContain('sealed')
})

test('a refused step changes nothing', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate')
  await opened.done('keys rotate')
  const before = [await shown(opened), await entries(opened)]
  const kid = await kidIn(opened, 'signing')
  for (const [words, input] of [
    ['keys rotate', {}],
    ['keys retire', { kid }],
  ] as const) {
    expect(isRefusal(await opened.run(words, input))).toBe(true)
  }
  expect([await shown(opened), await entries(opened)]).toEqual(before)
})

test.each([
  ['keys retire', { kid: 'short' }],
  ['keys retire', {}],
  ['keys rotate', { use: 'everything' }],
  ['keys rotate', { compromised: 'yes' }],
])('"%s" with %j is not understood', async (words, input) => {
  expect(await (await openDirectory()).run(words, input)).toMatchObject({ code: 'bad_request' })
})

test('a new key is as long-lived as the longest that any hub has signed for', async () => {
  const opened = await openDirectory()
  await opened.done('keys rotate')
  await opened.store.directory.change(async ({ tables, putAs }) => {
    const before = await tables.selectFrom('signing_keys').selectAll().executeTakeFirstOrThrow()
    await putAs({ verb: 'test' })([
      { thing: 'key', before, after: { ...before, max_lifetime: 86_400 } },
    ])
  })
  await opened.done('keys rotate', { compromised: true })
  const rows = await opened.store.directory.read((tables) =>
    tables.selectFrom('signing_keys').select('max_lifetime').execute(),
  )
  expect(rows).toEqual([{ max_lifetime: 86_400 }])
})
