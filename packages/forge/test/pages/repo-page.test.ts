/** The page of a repository. */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, publicUrl, startForge } from '../serve/forge-world.ts'
import { login, visit } from './browser.ts'

const readme = `---
license: mit
---
# Hello <script>alert(1)</script>

[guide](docs/guide.md) [bad](javascript:alert(1)) ![pic](https://evil.example/x.png)
`

describe.skipIf(!isGitThere)('the page of a repository', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({ anonymousPublicRead: true })
    await world.create('closed')
    await world.create('open', { private: false })
    await world.commit('open', {
      ...{
        'README.md': readme,
        'docs/guide.md': '# Guide\n\n[up](../README.md)',
        'docs/a.txt': '<b>text</b>',
      },
      ...{ "it's & <b>.txt": 'x', 'a\u202eb.txt': 'y' },
    })
  })
  afterAll(() => world?.stopped())

  test('is shown to nobody who may not read it, alike where there is none', async () => {
    const [closed, absent] = [
      await visit(world, '/acme/closed'),
      await visit(world, '/acme/absent'),
    ]
    expect([closed.status, absent.status]).toEqual([401, 401])
    expect(closed.text.replaceAll('closed', 'absent')).toBe(absent.text)
    expect(closed.text).toContain('<a href="/login?next=%2Facme%2Fclosed">')
    const cookie = await login(world, 'reader')
    expect((await visit(world, '/acme/closed', { cookie })).text).toContain('private')
  })

  test('has refusals for programs in JSON, as every route has', async () => {
    const { status, json } = await world.ask('/acme/closed')
    expect([status, json.code]).toEqual([401, 'hub_token_missing'])
    const program = await world.ask('/acme/closed', { as: 'reader' })
    expect([program.status, program.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  })

  // conformance: Forge / Pages run no scripts
  test('lets a browser run, load, frame and send nothing', async () => {
    for (const path of ['/acme/open', '/acme/open/blob/main/docs/a.txt', '/acme/none']) {
      const { headers, text } = await visit(world, path)
      const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
      const hash = createHash('sha256').update(style).digest('base64')
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining(
          `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        ),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
      expect(text).not.toMatch(/<script|<img|<iframe|\son\w+=|style=|javascript:alert\(1\)"/i)
    }
  })

  test('shows files with sizes, the README, refs, and lines to paste', async () => {
    const { status, text } = await visit(world, '/acme/open')
    expect(status).toBe(200)
    expect(text).toContain('<a href="/acme/open/tree/main/docs"><bdi>docs/</bdi></a>')
    expect(text).toContain(
      '<a href="/acme/open/blob/main/it\'s%20%26%20%3Cb%3E.txt">'.replace("'", '&#39;'),
    )
    expect(text).toContain(
      '<bdi>it&#39;s &amp; &lt;b&gt;.txt</bdi></a></td><td class="size">1 bytes</td>',
    )
    expect(text).toContain('<bdi>a\\u{202e}b.txt</bdi>')
    expect(text).toContain('Hello &lt;script&gt;alert(1)&lt;/script&gt;</h3>')
    expect(text).toContain('<a href="/acme/open/blob/main/docs/guide.md" rel=')
    expect(text).not.toContain('license: mit')
    expect(text).toContain('<a href="/acme/open/tree/main" aria-current="true">')
    for (const line of [
      `git clone ${publicUrl}/acme/open`,
      `export HF_ENDPOINT=${publicUrl}`,
      'export HF_TOKEN_PATH=~/hub.token',
      'hf download acme/open',
      'hf upload acme/open ./folder .',
      'folder = snapshot_download(&quot;acme/open&quot;)',
    ]) {
      expect(text).toContain(line)
    }
  })

  test('shows folders and files, and no file as a page of its own', async () => {
    const folder = await visit(world, '/acme/open/tree/main/docs')
    expect(folder.text).toContain('<a href="/acme/open/blob/main/docs/a.txt">')
    expect(folder.text).toContain('<a href="/acme/open/tree/main">Files</a> / ')
    const file = await visit(world, '/acme/open/blob/main/docs/a.txt')
    expect(file.text).toContain('&lt;b&gt;text&lt;/b&gt;')
    expect(file.text).toContain('<a href="/acme/open/resolve/main/docs/a.txt">')
    expect(file.text).toContain('hf download acme/open docs/a.txt --revision=main')
    const guide = await visit(world, '/acme/open/blob/main/docs/guide.md')
    expect(guide.text).toContain('<a href="/acme/open/blob/main/README.md" rel=')
    const cookie = await login(world, 'reader')
    const own = await visit(world, '/acme/open/blob/main/docs/a.txt', { cookie })
    expect(own.text).toContain('<a href="/acme/open/blob/main/docs/a.txt?download=1">')
    for (const path of ['/acme/open/blob/main/none', '/acme/open/tree/main/none']) {
      expect((await visit(world, path)).status).toBe(404)
    }
    expect((await visit(world, '/acme/open/tree/none', { cookie })).status).toBe(404)
  })

  test('has lines to paste that a hostile name of a branch cannot break out of', async () => {
    const { json } = await world.ask('/api/models/acme/open', { as: 'owner' })
    const ref = "refs/heads/$(id);'x"
    await world.done('ref set', {
      repository: 'models/acme/open',
      ref,
      commit: json.sha,
      from: 'main',
    })
    const { text } = await visit(world, `/acme/open/tree/${encodeURIComponent("$(id);'x")}`)
    expect(text).toContain("--revision='$(id);'\\''x'".replaceAll("'", '&#39;'))
    expect(text).toContain('revision=&quot;$(id);&#39;x&quot;')
  })

  test('of a dataset has its own address, and one without a commit says so', async () => {
    const body = { name: 'pets', organization: 'acme', type: 'dataset', private: false }
    await world.ask('/api/repos/create', { as: 'owner', body })
    const { text } = await visit(world, '/datasets/acme/pets')
    expect(text).toContain('hf download acme/pets --repo-type=dataset')
    expect(text).toContain(
      'snapshot_download(&quot;acme/pets&quot;, repo_type=&quot;dataset&quot;)',
    )
    await world.done('repo create', { repository: 'models/acme/empty', visibility: 'public' })
    const empty = await visit(world, '/acme/empty')
    expect([empty.status, empty.text.includes('There is no commit yet.')]).toEqual([200, true])
  })
})
