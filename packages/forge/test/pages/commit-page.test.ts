/** The page of a commit, whose address clients print after an upload. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from '../serve/forge-world.ts'
import { login, submit, visit } from './browser.ts'

describe.skipIf(!isGitThere)('the page of a commit', () => {
  let world: ForgeWorld
  let commit: string
  let address: string
  beforeAll(async () => {
    world = await startForge({ anonymousPublicRead: true })
    await world.create('open', { private: false })
    await world.create('closed')
    await world.commit('closed', { 'closed.txt': 'c' })
    await world.commit('open', { 'old.txt': 'old', 'docs/a.txt': 'a' })
    const summary = '<script>alert(1)</script> a \u202e commit'
    const lines = [
      { key: 'header', value: { summary, description: 'more <b>words</b>' } },
      { key: 'file', value: { path: 'docs/a.txt', content: 'b' } },
      { key: 'file', value: { path: '<img src=x>.txt', content: 'x' } },
      { key: 'deletedFile', value: { path: 'old.txt' } },
    ]
    const made = await world.ask('/api/models/acme/open/commit/main', { as: 'writer', body: lines })
    commit = made.json.commitOid
    address = new URL(made.json.commitUrl).pathname
  })
  afterAll(() => world?.stopped())

  test('has the address that a commit is answered with, and shows what changed', async () => {
    expect(address).toBe(`/acme/open/commit/${commit}`)
    const { status, text, headers } = await visit(world, address)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const parent = /after <a href="\/acme\/open\/commit\/([0-9a-f]{40})">/.exec(text)?.[1]
    const cell = (at: string | undefined, path: string, shown: string, change: string) =>
      `<tr><td><a href="/acme/open/blob/${at}/${path}"><bdi>${shown}</bdi></a></td><td class="size">${change}</td></tr>`
    expect(text).toContain(cell(commit, 'docs/a.txt', 'docs/a.txt', 'changed'))
    expect(text).toContain(
      cell(commit, '%3Cimg%20src%3Dx%3E.txt', '&lt;img src=x&gt;.txt', 'added'),
    )
    expect(text).toContain(cell(parent, 'old.txt', 'old.txt', 'deleted'))
    expect(text).toContain('by <bdi>writer</bdi>')
    expect(text).toContain(`<a href="/acme/open/tree/${commit}">`)
    expect((await visit(world, `/acme/open/blob/${parent}/old.txt`)).status).toBe(200)
  })

  test('shows no byte of a user as HTML, and lets a browser run nothing', async () => {
    const { text, headers } = await visit(world, address)
    expect(text).not.toMatch(/<script|<img|<b>/)
    expect(text).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt; a \\u{202e} commit</bdi>')
    expect(text).toContain('more &lt;b&gt;words&lt;/b&gt;')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  })

  test('shows all files of the first commit as added', async () => {
    const { json } = await world.ask('/api/models/acme/open/commits/main', { as: 'reader' })
    const { text } = await visit(world, `/acme/open/commit/${json.at(-1).id}`)
    expect(text).toContain('<bdi>.gitattributes</bdi></a></td><td class="size">added</td>')
    expect(text).not.toContain('after <a')
  })

  test('is shown to nobody who may not read the commit, alike where there is none', async () => {
    const { json } = await world.ask('/api/models/acme/closed', { as: 'reader' })
    const [closed, absent] = [
      await visit(world, `/acme/closed/commit/${json.sha}`),
      await visit(world, `/acme/absent/commit/${json.sha}`),
    ]
    expect([closed.status, absent.status]).toEqual([401, 401])
    expect(closed.text.replaceAll('closed', 'absent')).toBe(absent.text)
    const cookie = await login(world, 'reader')
    const shown = await visit(world, `/acme/closed/commit/${json.sha}`, { cookie })
    expect([shown.status, shown.text.includes('closed.txt')]).toEqual([200, true])
    // A commit of one repository is none of another.
    const other = await visit(world, `/acme/open/commit/${json.sha}`, { cookie })
    expect(other.status).toBe(404)
    const next = `/acme/closed/commit/${json.sha}`
    const back = await submit(world, '/login', { token: world.tokenOf('reader'), next })
    expect(back.headers.get('location')).toBe(next)
  })
})
