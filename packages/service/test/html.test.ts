/** No text becomes markup: the template escapes it, and the compiler takes nothing else for `Html`. */

import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Html, html, isHtml, trustedHtml } from '../src/http/html.ts'
import { htmlDocument } from '../src/http/page.ts'
import type { Reply } from '../src/http/routes.ts'

const hostile = `"><script>alert('x')</script>&amp;`
const harmless = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;'

// conformance: Forge / Text of users never becomes markup of a page
test('a text is escaped between tags and in an attribute', () => {
  const link = html`<a title="${hostile}">${hostile}</a>`
  expect(link.markup).toBe(`<a title="${harmless}">${harmless}</a>`)
})

test('markup and lists of it pass once, and nothing is shown for what is missing', () => {
  const items = [1, '<', html`<b>`].map((one) => html`<li>${one}</li>`)
  const list = html`<ul>${items}${false}${undefined}${''}${[]}${0}</ul>`
  expect(list.markup).toBe('<ul><li>1</li><li>&lt;</li><li><b></li>0</ul>')
})

test('an escaped text has no character of markup, and is read as it was', () => {
  const pieces = fc.constantFrom('&', '<', '>', '"', "'", '&amp;', 'word', '\ud800', '\u{1f511}')
  const text = fc.array(fc.oneof(pieces, anyText({ maxLength: 3 }))).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (one) => {
      const { markup } = html`${one}`
      expect(markup.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[&<>"']/)
      expect(readByBrowser(markup)).toBe(one)
    }),
  )
})

function readByBrowser(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

test.each([
  ['an object of the same shape', { markup: '<b>' }],
  ['a list of such objects', [{ markup: '<b>' }]],
])('%s is not taken for markup when the compiler was overruled', (_, value) => {
  expect(isHtml(value)).toBe(false)
  expect(() => html`${value as never}`).toThrow(TypeError)
})

test('a list of texts is escaped when the compiler was overruled', () => {
  expect(html`${['<b>'] as never}`.markup).toBe('&lt;b&gt;')
})

/** Never called: `tsc` proves each line. */
export function mistakes(text: string, value: unknown, list: readonly string[]) {
  // @ts-expect-error a text is no markup
  const page: Html = text
  // @ts-expect-error an object of the same shape is no markup
  const shape: Html = { markup: text }
  // @ts-expect-error a list of texts would be shown without a separator
  html`${list}`
  // @ts-expect-error a value of an unknown kind
  html`${value}`
  // @ts-expect-error a condition that shows `true`
  html`${text === ''}`
  // @ts-expect-error a template is written, not made
  html([text])
  // @ts-expect-error the body of a document is markup
  htmlDocument({ title: text, style: html``, body: text })
  // @ts-expect-error and its style as well
  htmlDocument({ title: text, style: text, body: html`` })
  // @ts-expect-error a text is not sent as a page
  const reply: Reply = { contentType: 'text/html', body: text }
  return [page, shape, reply, trustedHtml(text)]
}
