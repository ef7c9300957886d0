/** Whatever is lost between forge and hub, a change is done once or not at all, and the caller hears which. */

import { HubUnavailable } from '@latchkey/forge'
import { noCommit, parseCommitHash } from '@latchkey/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BreakingProxy, startBreakingProxy } from './breaking-proxy.ts'
import { bert, codeOf, type LinkWorld, main, permitted, startLinkWorld } from './link-world.ts'

const read = { repo: bert, revision: undefined, scope: 'read' } as const
let digits = 0

/** A new one each time. */
function commit() {
  digits += 1
  const hash = parseCommitHash(String(digits).padStart(40, 'a'))
  if (hash === undefined) throw new Error('no hash')
  return hash
}

describe('between a forge and its hub', () => {
  let world: LinkWorld
  let proxy: BreakingProxy
  let link: LinkWorld['link']
  beforeAll(async () => {
    world = await startLinkWorld()
    proxy = await startBreakingProxy(world.hub.url)
    link = world.linkAs({ hubUrl: proxy.url })
    permitted(
      await world
        .as('owner', { port: link })
        .createRepository({ repo: bert, visibility: 'private' }),
    )
  })
  afterAll(async () => {
    await world?.stopped()
    proxy?.close()
  })
  beforeEach(async () => {
    await link.deletedAmong([])
  })
  const as = (who: string) => world.as(who, { port: link })
  const head = async () => permitted(await as('writer').decide(read)).commit
  const entries = async () => {
    const { items } = (await world.done('changes', { limit: 1000 })) as {
      items: { verb: string; thing: string }[]
    }
    return items.filter(({ verb, thing }) => verb === 'ref set' && thing === 'ref').length
  }
  const move = async () => {
    const [from, to] = [await head(), commit()]
    return { to, moving: as('writer').moveRef({ repo: bert, ref: main, from, to }) }
  }

  test('a question whose response is lost is asked again', async () => {
    proxy.lose('decide', 'after')
    proxy.lose('decide', 'before')
    expect(permitted(await as('reader').decide(read)).account).toBe('reader')
    proxy.lose('refsOf', 'after', 4)
    await expect(
      link.refsOf(permitted(await as('reader').decide(read)).repositoryUid),
    ).rejects.toThrow(HubUnavailable)
    expect(proxy.counts.get('refsOf')).toBe(4)
    await link.deletedAmong([])
    for (let left = 0; left < 6; left += 1)
      await link.refsOf(permitted(await as('reader').decide(read)).repositoryUid).catch(() => {})
  })

  test('a change whose response is lost is done, and done once', async () => {
    const before = await entries()
    proxy.lose('moveRef', 'after')
    const { to, moving } = await move()
    expect(await moving).toBeUndefined()
    expect([await head(), await entries()]).toEqual([to, before + 1])
  })

  test('the response of a lost change is that of the change', async () => {
    proxy.lose('createRepository', 'after')
    const repo = { ...bert, name: 'other' }
    const made = permitted(await as('owner').createRepository({ repo, visibility: 'public' }))
    const { repositoryUid: uid } = permitted(await as('owner').decide({ ...read, repo }))
    expect(made).toEqual({ uid, defaultBranch: main, account: 'owner' })
    proxy.lose('deleteRepository', 'after')
    expect(await as('owner').deleteRepository(repo)).toEqual({ uid })
  })

  test('a change that the hub did not get is asked for again, and refused as ever', async () => {
    proxy.lose('moveRef', 'before')
    const { to, moving } = await move()
    expect(await moving).toBeUndefined()
    expect(await head()).toBe(to)
    proxy.lose('moveRef', 'after')
    const wrong = { repo: bert, ref: main, from: noCommit, to: commit() }
    expect(codeOf(await as('writer').moveRef(wrong))).toBe('conflict')
  })

  test('a change that arrives after it was given up is not done', async () => {
    const before = await head()
    proxy.lose('moveRef', 'late', 2)
    const { moving } = await move()
    const failure = await moving.catch((error) => error)
    expect(failure).toBeInstanceOf(HubUnavailable)
    expect(failure.refusal.detail).toContain('The hub changed nothing.')
    const answers = await proxy.late()
    expect(answers.map((answer) => JSON.parse(answer).refusal?.code)).toEqual([
      'conflict',
      'conflict',
    ])
    expect(await head()).toBe(before)
  })

  test('a change of which nothing can be learned tells that it may have been made', async () => {
    proxy.lose('moveRef', 'after')
    proxy.lose('outcomeOf', 'before', 4)
    const { to, moving } = await move()
    const failure = await moving.catch((error) => error)
    expect(failure).toBeInstanceOf(HubUnavailable)
    expect(failure.refusal).toMatchObject({ code: 'hub_unavailable', retryAfterSeconds: 1 })
    expect(failure.refusal.detail).toContain('may have been made')
    expect(await head()).toBe(to)
  })
})
