/** The pages of docs/ can become a site, and each has a place in its menu. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { brokenLinks } from '../site/check/broken-links.ts'
import { hostileSyntax } from '../site/hostile-syntax.ts'
import { targetOf } from '../site/links.ts'
import { withTargets } from '../site/markdown.ts'
import { type MenuItem, menu } from '../site/navigation.ts'
import { addressOf, docsFolder, pages } from '../site/pages.ts'

function linksOf(items: readonly MenuItem[]): readonly string[] {
  return items.flatMap(({ link, items: below = [] }) => [
    ...(link === undefined ? [] : [link]),
    ...linksOf(below),
  ])
}

const read = (page: string) => readFileSync(join(docsFolder, page), 'utf8')

describe('the menu', () => {
  const links = linksOf(menu())

  test('has every page, but for the decisions, which have a page that lists them', () => {
    const expected = pages.filter(
      (page) => page !== 'index.md' && !/^internals\/decisions\/\d/.test(page),
    )
    expect([...new Set(links)].sort()).toEqual(expected.map(addressOf).sort())
  })

  test('has the sections and the order of docs/index.md', () => {
    const sections = Array.from(read('index.md').matchAll(/^## (.+)$/gm), ([, title]) => title)
    expect(menu().map(({ text }) => text)).toEqual(sections)
    const pagesInOrder = Array.from(
      read('index.md').matchAll(/\]\((.+?\.md)\)/g),
      ([, page]) => page,
    )
    const inIndex = pagesInOrder.map((page = '') => addressOf(page))
    expect(links.filter((link) => inIndex.includes(link))).toEqual(inIndex)
  })
})

test.each(pages)('VitePress reads %s as GitHub does', (page) => {
  expect(hostileSyntax(read(page))).toEqual([])
})

test('syntax of Vue is found in text, and not in code', () => {
  const text = 'A {{ name }} and <owner>\n\n`{{ name }}` <https://hub.example>\n```\n<owner>\n```\n'
  expect(hostileSyntax(text)).toEqual(['{{', '<owner>'])
})

test('Vue does not read code within a sentence', () => {
  const attributes: string[] = []
  const token = (type: string) => ({
    ...{ type, content: '{{', children: null, attrGet: () => null },
    attrSet: (name: string) => attributes.push(`${type} ${name}`),
  })
  const children = [token('text'), token('code_inline')]
  const tokens = [{ ...token('inline'), children }]
  const env = { path: join(docsFolder, 'index.md') }
  withTargets({ core: { ruler: { push: (_, rule) => rule({ tokens, env }) } } })
  expect(attributes).toEqual(['code_inline v-pre'])
})

describe('a link', () => {
  const from = 'guides/go.md'

  test('to another page leads to its address', () => {
    expect(targetOf(from, 'runbooks/README.md#x', '')).toEqual({
      kind: 'address',
      address: '/guides/runbooks/#x',
    })
    expect(targetOf(from, '../index.md', '')).toEqual({ kind: 'address', address: '/' })
  })

  test('to a file outside of docs/ leads to the repository, or to nothing if there is none', () => {
    const readme = '../../clients/go/README.md'
    expect(targetOf(from, readme, '')).toEqual({ kind: 'file', path: 'clients/go/README.md' })
    const url = 'https://git.example/latchkey/latchkey'
    expect(targetOf(from, `${readme}#x`, url)).toEqual({
      kind: 'address',
      address: `${url}/blob/main/clients/go/README.md#x`,
    })
    expect(targetOf(from, '../../examples', url)).toEqual({
      kind: 'address',
      address: `${url}/tree/main/examples`,
    })
  })
})

test('a link of the site to a missing page or heading is broken, and no other', () => {
  const origin = 'http://127.0.0.1:1'
  const there = { path: '/there.html', links: [], anchors: ['heading'], faults: [] }
  const good = ['/there.html', '/there.html#heading', '/picture.svg'].map((path) => origin + path)
  const bad = [`${origin}/gone.html`, `${origin}/there.html#gone`, 'file:///etc/hosts']
  const links = [...good, 'https://www.rfc-editor.org/rfc/rfc9457', ...bad]
  const isFile = (path: string) => path === '/there.html' || path === '/picture.svg'
  const broken = brokenLinks([there, { ...there, path: '/from.html', links }], origin, isFile)
  expect(broken).toEqual(bad.map((link) => `/from.html links to ${link}`))
})
