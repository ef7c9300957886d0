/** Tenants choose cards, messages and files, and cannot make a reply large with them. */

import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json } from '../../src/http/reply.ts'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, publicUrl, startForge } from './forge-world.ts'

/** JSON writes it with six bytes. */
const control = '\x01'
const mebibyte = 1024 * 1024

describe.skipIf(!isGitThere)('with hostile content', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
  })
  afterAll(() => world?.stopped())

  const commit = (name: string, value: object, to = 'main') =>
    world.ask(`/api/models/acme/${name}/commit/${to}`, {
      as: 'writer',
      body: [
        { key: 'header', value: { summary: 'a change' } },
        { key: 'file', value },
      ],
    })
  const card = (index: string) =>
    `---\nlicense: mit\nnote: "${control.repeat(20_000)}"\nmodel-index:\n- "${index}"\n---\n`

  test('a card shows its small members, and leaves out those that are larger than a card may be', async () => {
    await world.create('hostile')
    const content = Buffer.from(card(control.repeat(30_000))).toString('base64')
    const committed = await commit('hostile', { path: 'README.md', content, encoding: 'base64' })
    expect(committed.status).toBe(200)
    for (const path of ['models/acme/hostile', 'models?author=acme&full=true']) {
      const { text, json: told } = await world.ask(`/api/${path}`, { as: 'reader' })
      expect(text.length).toBeLessThan(64 * 1024)
      expect([told].flat()[0].cardData).toEqual({ license: 'mit' })
    }
  })

  test('a page of repositories ends early, and the next ones are on the pages that its links lead to', async () => {
    const names = ['page-a', 'page-b', 'page-c', 'page-d']
    const token = control.repeat(14_000)
    const tokenizer = { bos_token: token, eos_token: token, pad_token: token }
    for (const name of names) {
      await world.create(name)
      await world.commit(name, {
        'README.md': `---\nmodel-index:\n- "${control.repeat(10_500)}"\n---\n`,
        'config.json': '{}',
        'tokenizer_config.json': JSON.stringify(tokenizer),
      })
    }
    const pages: (readonly string[])[] = []
    let next = '/api/models?search=page-&full=true&config=true'
    while (next !== '') {
      const { text, json: told, headers } = await world.ask(next, { as: 'reader' })
      expect(text.length).toBeLessThan(1.4 * mebibyte)
      pages.push(told.map(({ id }: { readonly id: string }) => id))
      const link = headers.get('link') ?? ''
      next = link.slice(1, Math.max(1, link.indexOf('>'))).replace(publicUrl, '')
    }
    expect(pages.map(({ length }) => length)).toEqual([3, 1])
    expect(pages.flat()).toEqual(names.map((name) => `acme/${name}`))
  })

  test('a list of commits shows each title whole, and the beginning of a long message', async () => {
    await world.create('messages')
    const title = control.repeat(900)
    for (const description of [control.repeat(65_000), '😀'.repeat(30_000)]) {
      await world.ask('/api/models/acme/messages/commit/main', {
        as: 'writer',
        body: [
          { key: 'header', value: { summary: title, description } },
          {
            key: 'file',
            value: { path: 'a', content: description.slice(0, 2), encoding: 'utf-8' },
          },
        ],
      })
    }
    const list = await world.ask('/api/models/acme/messages/commits/main', { as: 'reader' })
    const shown: readonly { readonly title: string; readonly message: string }[] = list.json
    expect(shown.length).toBe(3)
    for (const { title: told, message } of shown.slice(0, 2)) {
      expect(told).toBe(title)
      expect(message.length).toBeGreaterThan(500)
      expect(message.isWellFormed()).toBe(true)
    }
    expect(list.text.length).toBeLessThan(3 * 10_500)
  })

  test('the diff of a pull request ends at 1 MiB of JSON, and says so', async () => {
    await world.create('diff')
    const content = Buffer.from(control.repeat(500_000)).toString('base64')
    const file = { path: 'a.txt', content, encoding: 'base64' }
    const proposed = await commit('diff', file, 'main?create_pr=1')
    expect(proposed.status).toBe(200)
    const { text, json: told } = await world.ask('/api/models/acme/diff/discussions/1?diff=1', {
      as: 'reader',
    })
    expect(text.length).toBeLessThan(1.01 * mebibyte)
    expect(text.length).toBeGreaterThan(0.9 * mebibyte)
    expect(told.diff).toContain('The diff ends here')
  })
})

describe('a large value', () => {
  const item = { id: 'a"b', none: undefined, no: null, list: [1, undefined, 'x'], deep: { a: {} } }
  const value = {
    ...{ empty: [], object: {}, none: undefined, text: '😀é\n'.repeat(30_000) },
    list: Array.from({ length: 2000 }, () => item),
  }

  test('is sent in slices, each made when the one before was taken', async () => {
    let made = 0
    const counted = { toJSON: () => ++made }
    const items = Array.from({ length: 100 }, () => ({ a: [['x'.repeat(30_000), counted]] }))
    const { body } = json(items)
    if (typeof body === 'string' || !('parts' in body)) throw new Error('not streamed')
    const parts = body.parts[Symbol.asyncIterator]()
    for (const atMost of [3, 6, 9]) {
      const part = await parts.next()
      expect(part.value.length).toBeLessThan(100_000)
      expect(made).toBeLessThanOrEqual(atMost)
    }
  })

  test('has the JSON that it has in one piece', async () => {
    const { body } = json(value)
    if (typeof body === 'string' || !('parts' in body)) throw new Error('not streamed')
    const sent = await readText(Readable.from(body.parts))
    expect(JSON.parse(sent)).toEqual(JSON.parse(JSON.stringify(value)))
    expect(json({ a: [item] }).body).toBe(JSON.stringify({ a: [item] }))
  })
})
