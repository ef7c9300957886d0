/** Markdown is rendered beside the hub, and never for long. */

import { afterEach, describe, expect, test } from 'vitest'
import { openRenderer, type Renderer, type RendererBounds } from '../../src/readme/open-renderer.ts'
import { showReadmes } from '../../src/readme/show-readme.ts'

const place = { files: '/acme/bert/blob/main', folder: '' }

describe('a renderer', () => {
  const opened: Renderer[] = []
  const open = (bounds?: RendererBounds) => {
    const renderer = openRenderer(bounds)
    opened.push(renderer)
    return renderer
  }
  afterEach(() => {
    for (const renderer of opened.splice(0)) renderer.close()
  })

  test('gives up a text that takes too long', async () => {
    // No thread starts within a millisecond.
    const renderer = open({ deadlineMs: 1 })
    expect(await renderer.render({ text: '*a*', place })).toBeUndefined()
  })

  test('gives up texts that too many wait before, and renders the others in order', async () => {
    const renderer = open({ mostWaiting: 2 })
    const tasks = ['*a*', '*b*', '*c*'].map((text) => renderer.render({ text, place }))
    expect(await Promise.all(tasks)).toEqual([
      '<p><em>a</em></p>\n',
      '<p><em>b</em></p>\n',
      undefined,
    ])
    expect(await renderer.render({ text: 'd', place })).toBe('<p>d</p>\n')
  })

  test('renders nothing once it is closed', async () => {
    const renderer = open()
    renderer.close()
    expect(await renderer.render({ text: 'a', place })).toBeUndefined()
  })
})

describe('a README', () => {
  const asked: string[] = []
  const shown = (html: string | undefined) =>
    showReadmes({
      async render({ text }) {
        asked.push(text)
        return html
      },
      close() {},
    })

  test('that cannot be rendered is shown as text', async () => {
    const show = shown(undefined)
    expect(await show({ text: '<b>', hash: '1', place })).toBe('<pre>&lt;b&gt;</pre>')
  })

  test('is shown without its metadata, rendered up to a bound and as text beyond it', async () => {
    asked.length = 0
    const show = shown('<p>first</p>')
    const lines = '<b>\n'.repeat(20_000)
    const html = await show({ text: `---\nlicense: mit\n---\n${lines}`, hash: '2', place })
    expect(asked.map(({ length }) => length)).toEqual([65_536])
    expect(asked[0]).not.toContain('license')
    const rest = '&lt;b&gt;\n'.repeat((lines.length - 65_536) / 4)
    expect(html).toBe(`<p>first</p><pre>${rest}</pre>`)
    expect(await show({ text: 'not read again', hash: '2', place })).toBe(html)
  })
})
