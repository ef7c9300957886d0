/** What a reader proposes becomes a pull request of its own, or leaves nothing. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { submit, visit } from '../pages/browser.ts'
import { isGitThere } from '../real-git.ts'
import type { Who } from './forge-world.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const header = { key: 'header', value: { summary: 'a proposal' } }
const small = { key: 'file', value: { path: 'a.txt', content: 'a' } }

describe.skipIf(!isGitThere)('a reader who proposes', () => {
  let world: LargeWorld
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('proposals')
  })
  afterAll(() => world?.stopped())

  const propose = (line: object) =>
    world.ask(`/api/models/acme/proposals/commit/main?create_pr=1`, {
      ...{ as: 'reader', body: [header, line] },
    })

  test('content that is not there takes no number', async () => {
    const oid = 'a'.repeat(64)
    const value = { path: 'large.bin', algo: 'sha256', oid, size: 5 }
    expect((await propose({ key: 'lfsFile', value })).status).toBe(400)
    const { status, json } = await propose(small)
    expect([status, json.pullRequestUrl]).toEqual([
      200,
      'https://hub.example/acme/proposals/discussions/1',
    ])
  })

  test('by a query that cannot be decoded is refused: without it the commit would go to main', async () => {
    const before = await world.ask('/api/models/acme/proposals/refs', { as: 'reader' })
    const asWriter = await world.ask(
      '/api/models/acme/proposals/commit/main?create_pr=1&more=%zz',
      {
        ...{ as: 'writer', body: [header, small] },
      },
    )
    expect(asWriter.status).toBe(400)
    const after = await world.ask('/api/models/acme/proposals/refs', { as: 'reader' })
    expect(after.json).toEqual(before.json)
  })

  test('shows the diff to those who may read both sides, cut at a bound', async () => {
    await world.create('diffs')
    await world.commit('diffs', { 'a.txt': 'one\ntwo\n' })
    /** Files of less than 1 MiB are compared line by line. */
    const long = (path: string) => {
      const content = Buffer.from(`a line of ${path}\n`.repeat(40_000)).toString('base64')
      return { key: 'file', value: { path, content, encoding: 'base64' } }
    }
    const change = { key: 'file', value: { path: 'a.txt', content: 'one\nthree\n' } }
    const opened = await world.ask('/api/models/acme/diffs/commit/main?create_pr=1', {
      ...{ as: 'writer', body: [header, change] },
    })
    expect(opened.status).toBe(200)
    // The base goes on: its own changes are none of the pull request.
    await world.commit('diffs', { 'later.txt': 'later' })
    const details = async (query: string, as: Who = 'reader') =>
      (await world.ask(`/api/models/acme/diffs/discussions/1${query}`, { as })).json
    const { diff } = await details('?diff=1')
    expect(diff).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n/)
    expect(diff).toContain('-two\n+three\n')
    expect(diff).not.toContain('later')
    expect((await details('')).diff).toBeUndefined()

    const grown = await world.ask('/api/models/acme/diffs/commit/refs%2Fpr%2F1', {
      ...{ as: 'writer', body: [header, long('b.txt'), long('c.txt')] },
    })
    expect(grown.status).toBe(200)
    const cut: string = (await details('?diff=1')).diff
    const bytes = Buffer.byteLength(JSON.stringify(cut))
    expect(bytes).toBeGreaterThan(1024 * 1024 - 2000)
    expect(bytes).toBeLessThan(1024 * 1024 + 300)
    expect(cut).toMatch(/\nThe diff ends here: .+ Fetch refs\/pr\/1 with git to see the rest\.\n$/)

    // Lines of main are in the diff: it is not for a token that may read the pull request alone.
    const grants = [{ on: 'acme/*', contents: 'read', refs: ['refs/pr/*'] }]
    const limited = { account: 'ci-bot', name: 'reviews', kind: 'fine-grained', grants }
    await world.apply({ hubTokens: [limited] })
    const token = world.tokens['ci-bot/reviews']?.reveal()
    const headers = { authorization: `Bearer ${token}` }
    const review = await world.ask('/api/models/acme/diffs/discussions/1?diff=1', { headers })
    expect([review.status, review.json.diff]).toEqual([200, undefined])
  })

  test('a list of commits tells a token for pull requests nothing about the number of hidden ones', async () => {
    await world.create('history')
    const grants = [{ on: 'acme/*', contents: 'read', refs: ['refs/pr/*'] }]
    const limited = { account: 'reader', name: 'listing', kind: 'fine-grained', grants }
    await world.apply({ hubTokens: [limited] })
    const token = world.tokens['reader/listing']?.reveal()
    const headers = { authorization: `Bearer ${token}` }
    const api = '/api/models/acme/history'
    const list = async (path: string) => {
      const { status, json, headers: said } = await world.ask(path, { headers })
      const link = (said.get('link') ?? '').replace('<https://hub.example', '')
      const ids: string[] = status === 200 ? json.map(({ id }: { id: string }) => id) : []
      return { status, ids, next: link.slice(0, Math.max(0, link.indexOf('>'))) }
    }
    // Its own commits, hidden ones, and none that is readable behind them.
    const made: string[] = []
    const proposal = (address: string, content: string) => {
      const change = { key: 'file', value: { path: 'a.txt', content } }
      return world.ask(address, { as: 'writer', body: [header, change] })
    }
    for (const at of [1, 2, 3]) await world.commit('history', { 'a.txt': `hidden ${at}` })
    for (const [at, address] of ['main?create_pr=1', 'refs%2Fpr%2F1', 'refs%2Fpr%2F1'].entries()) {
      const { status, json } = await proposal(`${api}/commit/${address}`, `readable ${at}`)
      expect(status).toBe(200)
      made.unshift(json.commitOid)
    }
    const pages: Awaited<ReturnType<typeof list>>[] = []
    for (let path = `${api}/commits/refs%2Fpr%2F1?limit=1`; path !== '' && pages.length < 9; ) {
      const page = await list(path)
      pages.push(page)
      path = page.next
    }
    expect(pages.map(({ ids }) => ids)).toEqual(made.map((id) => [id]))
    expect(new Set(pages.map(({ next }) => next.length)).size).toBe(2)
    for (const p of [1, 2, 3, 4, 5, 6, 7]) {
      const { status, ids, next } = await list(`${api}/commits/refs%2Fpr%2F1?limit=1&p=${p}`)
      expect([status, ids, next]).toEqual([400, [], ''])
    }
    // A cursor is good in its repository alone.
    const cursor = new URL(pages[0]?.next ?? '', 'http://hub').searchParams.get('cursor')
    await world.create('elsewhere')
    const change = { key: 'file', value: { path: 'a.txt', content: 'a' } }
    const opened = await world.ask('/api/models/acme/elsewhere/commit/main?create_pr=1', {
      ...{ as: 'writer', body: [header, change] },
    })
    expect(opened.status).toBe(200)
    const stolen = `/api/models/acme/elsewhere/commits/refs%2Fpr%2F1?limit=1&cursor=${cursor}`
    expect((await list(stolen)).status).toBe(400)
  })

  test('tells a token for pull requests alone nothing about the branch behind it', async () => {
    await world.create('behind')
    await world.commit('behind', { 'secret-name.txt': 'a' })
    const deleted = { key: 'deletedFile', value: { path: 'secret-name.txt' } }
    const opened = await world.ask('/api/models/acme/behind/commit/main?create_pr=1', {
      ...{ as: 'writer', body: [header, deleted] },
    })
    const { commitOid } = opened.json
    const grants = [{ on: 'acme/*', contents: 'read', refs: ['refs/pr/*'] }]
    const limited = { account: 'reader', name: 'pull-requests', kind: 'fine-grained', grants }
    await world.apply({ hubTokens: [limited] })
    const token = world.tokens['reader/pull-requests']?.reveal()
    const headers = { authorization: `Bearer ${token}` }
    const api = async (path: string) =>
      (await world.ask(`/api/models/acme/behind/${path}`, { headers })).json
    expect((await api('discussions/1')).changes).toEqual({ base: null })
    const listed = await world.ask('/api/models/acme/behind/commits/refs%2Fpr%2F1', { headers })
    expect(listed.json.map(({ id }: { id: string }) => id)).toEqual([commitOid])
    expect(listed.headers.get('x-total-count')).toBeNull()
    const [attributes] = await api('tree/refs%2Fpr%2F1?expand=1')
    expect([attributes.path, attributes.lastCommit]).toEqual(['.gitattributes', null])
    const session = await submit(world, '/login', { token: token ?? '' })
    const [cookie] = (session.headers.get('set-cookie') ?? '').split(';')
    const page = await visit(world, `/acme/behind/commit/${commitOid}`, { cookie })
    expect([page.status, page.text.includes('secret-name')]).toEqual([200, false])
    expect(page.text).toContain('You may not read the commit before this one')
    expect(page.text).not.toContain('after <a')
    // A caller who reads main sees all of it.
    const all = await world.ask('/api/models/acme/behind/commits/refs%2Fpr%2F1', { as: 'reader' })
    expect([all.json.length, all.headers.get('x-total-count')]).toEqual([3, '3'])
    const whole = await world.ask('/api/models/acme/behind/discussions/1', { as: 'reader' })
    expect(whole.json.changes).toEqual({ base: 'refs/heads/main' })
  })
})
