/** Markdown is rendered and cards are read beside the hub, and never for long. */

import { isRefusal } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import { afterEach, describe, expect, test } from 'vitest'
import {
  openReadmeThread,
  type ReadmeThread,
  type ReadmeThreadBounds,
} from '../../src/readme/open-readme-thread.ts'
import { showReadmes } from '../../src/readme/show-readme.ts'

const payer = 'ada'
/** Takes any machine longer than a millisecond. */
const slowCard = `---\nx: [${'a,'.repeat(9000)}]\n---\n`
const card = (text: string, by = payer) => ({ text, extraTags: ['extra'], payer: by })
const place = { files: '/acme/bert/blob/main', folder: '' }

describe('a README thread', () => {
  const opened: ReadmeThread[] = []
  const open = (bounds?: ReadmeThreadBounds) => {
    const thread = openReadmeThread(bounds)
    opened.push(thread)
    return thread
  }
  afterEach(() => {
    for (const thread of opened.splice(0)) thread.close()
  })

  test('gives up a text that takes too long', async () => {
    const thread = open({ deadlineMs: 1 })
    expect(await thread.render({ text: '*a* '.repeat(16_000), place, payer })).toBeUndefined()
    expect(await thread.readCard(card(slowCard))).toBe('slow')
  })

  test('gives up texts that too many wait before, and renders the others in order', async () => {
    const thread = open({ maxWaitingOfPayer: 1 })
    const tasks = ['*a*', '*b*', '*c*'].map((text) => thread.render({ text, place, payer }))
    expect((await Promise.all(tasks)).map((html) => html?.markup)).toEqual([
      '<p><em>a</em></p>\n',
      '<p><em>b</em></p>\n',
      undefined,
    ])
    expect((await thread.render({ text: 'd', place, payer }))?.markup).toBe('<p>d</p>\n')
  })

  test('reads the card of a README, and calls one invalid that no parser accepts', async () => {
    const thread = open()
    expect(await thread.readCard(card('---\na: [\n---\n'))).toBe('invalid')
    const text = '---\ntags: &t [a, b]\nlicense: mit\nlanguage: *t\nlibrary_name: x\n---\n# Title'
    const data = { tags: ['a', 'b'], license: 'mit', language: ['a', 'b'], library_name: 'x' }
    expect(await thread.readCard(card(text))).toEqual({
      ...{ cardData: JSON.stringify(data), library_name: 'x' },
      tags: ['a', 'b', 'x', 'extra', 'license:mit'],
    })
  })

  test('says of a card that takes too long that it does', async () => {
    const { errors } = (await open({ deadlineMs: 1 }).validateCard(slowCard, payer)) as {
      readonly errors: readonly object[]
    }
    const message = 'The metadata takes too long to read. Make it shorter or simpler.'
    expect(errors).toEqual([{ message }])
  })

  test('takes the cards of callers in turn, and refuses one of many that wait', async () => {
    const thread = open({ maxWaitingOfPayer: 2 })
    const order: string[] = []
    const validate = async (caller: string) => {
      const told = await thread.validateCard('---\na: 1\n---\n', caller)
      order.push(isRefusal(told) ? `${caller} ${told.code}` : caller)
    }
    await Promise.all(['mallory', 'mallory', 'mallory', 'mallory', 'ada'].map(validate))
    expect(order).toEqual(['mallory rate_limited', 'mallory', 'ada', 'mallory', 'mallory'])
  })

  test('keeps the pages and cards of one account from taking the turns of others', async () => {
    const thread = open({ maxWaitingOfPayer: 1 })
    const mit = '---\nlicense: mit\n---\n'
    const ofMallory = [
      thread.render({ text: '*a*', place, payer: 'mallory' }),
      thread.readCard(card(mit, 'mallory')),
      thread.readCard(card(mit, 'mallory')).then(isRefusal),
    ]
    expect(await thread.readCard(card(mit, 'ada'))).toMatchObject({ cardData: '{"license":"mit"}' })
    expect((await Promise.all(ofMallory)).at(-1)).toBe(true)
  })

  test('renders nothing once it is closed', async () => {
    const thread = open()
    thread.close()
    expect(await thread.render({ text: 'a', place, payer })).toBeUndefined()
  })
})

describe('a README', () => {
  const asked: string[] = []
  const shown = (rendered: Html | undefined) =>
    showReadmes({
      async render({ text }) {
        asked.push(text)
        return rendered
      },
    })

  test('that cannot be rendered is shown as text', async () => {
    const show = shown(undefined)
    const { markup } = await show({ text: '<b>', hash: '1', place, payer })
    expect(markup).toBe('<pre>&lt;b&gt;</pre>')
  })

  test('is shown without its metadata, rendered up to a bound and as text beyond it', async () => {
    asked.length = 0
    const show = shown(html`<p>first</p>`)
    const lines = '<b>\n'.repeat(20_000)
    const first = await show({ text: `---\nlicense: mit\n---\n${lines}`, hash: '2', place, payer })
    expect(asked.map(({ length }) => length)).toEqual([65_536])
    expect(asked[0]).not.toContain('license')
    const rest = '&lt;b&gt;\n'.repeat((lines.length - 65_536) / 4)
    expect(first.markup).toBe(`<p>first</p><pre>${rest}</pre>`)
    expect(await show({ text: 'not read again', hash: '2', place, payer })).toBe(first)
  })
})
