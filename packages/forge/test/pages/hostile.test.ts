/** Every page with names and texts that want to be markup. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from '../serve/forge-world.ts'
import { login, submit, visit } from './browser.ts'

/** Its slash makes a folder of a file's name. */
const hostile = `"><script>alert('x')</script>`
const hostileHref = hostile.split('/').map(encodeURIComponent).join('/')
const folder = encodeURIComponent(`"><script>alert('x')<`)

const tags = [
  ...['!doctype', 'html', 'head', 'meta', 'title', 'link', 'style', 'body', 'header', 'nav'],
  ...['main', 'aside', 'section', 'div', 'h[1-6]', 'p', 'a', 'span', 'strong', 'bdi', 'time', 'br'],
  ...['ul', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'pre', 'code'],
  ...['form', 'input', 'label', 'button'],
]
const attributes = [
  ...['html', 'lang', 'charset', 'name', 'content', 'rel', 'href', 'class', 'id', 'for', 'role'],
  ...['scope', 'tabindex', 'datetime', 'download', 'method', 'action', 'type', 'value', 'required'],
  ...['maxlength', 'autocomplete', 'autocapitalize', 'spellcheck', 'aria-[a-z]+'],
]
const allowed = new RegExp(
  `</?(?:${tags.join('|')})(?: (?:${attributes.join('|')})(?:="[^"<>]*")?)*>`,
  'g',
)

describe.skipIf(!isGitThere)('with hostile names and texts', () => {
  let world: ForgeWorld
  let commit: string
  beforeAll(async () => {
    world = await startForge({ anonymousPublicRead: true })
    await world.create('open', { private: false })
    const files = ['README.md', `${hostile}.txt`, `${hostile}.md`, 'plain.txt']
    const made = await world.commit('open', Object.fromEntries(files.map((one) => [one, hostile])))
    commit = made.json.commitOid
    const at = { repository: 'models/acme/open', commit }
    await world.done('ref set', { ...at, ref: `refs/heads/${hostile}`, from: 'main' })
    await world.done('ref set', { ...at, ref: `refs/tags/${hostile}2` })
  })
  afterAll(() => world?.stopped())

  const pages: readonly (readonly [string, () => string, number])[] = [
    ['a repository', () => '/acme/open', 200],
    ['a folder', () => `/acme/open/tree/main/${folder}`, 200],
    ['a branch', () => `/acme/open/tree/${encodeURIComponent(hostile)}`, 200],
    ['a file', () => `/acme/open/blob/main/${hostileHref}.txt`, 200],
    ['a text', () => '/acme/open/blob/main/plain.txt', 200],
    ['markdown', () => `/acme/open/blob/main/${hostileHref}.md`, 200],
    ['a commit', () => `/acme/open/commit/${commit}`, 200],
    ['the login', () => `/login?next=${encodeURIComponent(hostile)}`, 200],
    ['a file that is not there', () => `/acme/open/blob/main/${hostileHref}`, 404],
  ]

  // conformance: Forge / Text of users never becomes markup of a page
  test.each(pages)('the page of %s has none of them as markup', async (_, path, status) => {
    const cookie = status === 404 ? await login(world, 'reader') : undefined
    const page = await visit(world, path(), { cookie })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    expect(page.text.replaceAll(allowed, '')).not.toMatch(/[<>]/)
    // It is shown, as text.
    expect(page.text).toMatch(/script&gt;|%3Cscript%3E/)
  })

  test('a login that is refused has none of them as markup', async () => {
    const page = await submit(world, '/login', { token: hostile, next: hostile })
    expect(page.status).toBe(401)
    expect(page.text.replaceAll(allowed, '')).not.toMatch(/[<>]/)
    expect(page.text).toContain('value="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"')
  })
})
