/** The renderer writes no harmful tag, whatever a README says. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../src/readme/render-markdown.ts'
import { rounds } from '../rounds.ts'
import { hostileMarkdown } from './hostile-markdown.ts'

const place = { files: '/acme/bert/blob/main', folder: 'docs/' }
const render = (text: string) => renderMarkdown(text, place)

const names = 'p|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|em|strong|s|code|pre|h[3-6]|br|hr'
const target = '(?:https?://|mailto:|/acme/bert/blob/main/|#readme-)[^"<>]*'
/** Every tag that may be there, with every attribute that it may have. */
const allowed = new RegExp(
  [
    `</?(?:${names})>|</a>|<ol start="\\d{1,9}">|<t[hd] class="(?:center|right)">`,
    `|<h[3-6] id="readme-[^"<>]*">|<a href="${target}" rel="nofollow noopener noreferrer">`,
  ].join(''),
  'g',
)

describe('markdown', () => {
  test('gives no tag, attribute or address that is not on a short list', () => {
    fc.assert(
      fc.property(hostileMarkdown, (text) => {
        const html = render(text) ?? ''
        expect(html.replaceAll(allowed, '')).not.toMatch(/[<>]/)
        // Every text is escaped, so what is left of an attack is nothing that a browser reads.
        for (const [, href = ''] of html.matchAll(/ href="([^"]*)"/g)) {
          expect(href).not.toMatch(/^\s*(?:java|vb)script|^data|^\/\//i)
        }
      }),
      { numRuns: rounds(200, 50_000) },
    )
  })

  // biome-ignore format: a table is read by its columns
  test.each([
    ['a script',             '[x](javascript:alert(1))',    'javascript:alert(1)'],
    ['a script in a reference',    '[x]\n\n[x]: javascript:a',    'javascript:a"'],
    ['data',                       '[x](data:text/html,x)',       'href'],
    ['a file of the machine',      '[x](file:///etc/passwd)',     'href'],
    ['a picture of another site',  '![x](https://a.example/b)',   '<img'],
    ['raw HTML',                   '<b onclick="x">x</b>',        '<b'],
    ['a link of 3000 characters',  `[x](https://a.example/${'x'.repeat(3000)})`, 'href'],
  ])('never shows %s', (_, text, found) => {
    expect(render(text)).not.toContain(`href="${found}`)
    if (found.startsWith('<') || found === 'href') expect(render(text)).not.toContain(found)
  })

  test.each([
    ['a file beside it', '[x](a%20b.md)', '/acme/bert/blob/main/docs/a%20b.md'],
    ['a file above it', '[x](../LICENSE)', '/acme/bert/blob/main/LICENSE'],
    ['a file above the top', '[x](../../../../etc/passwd)', '/acme/bert/blob/main/etc/passwd'],
    ['a file by its full path', '[x](/src/x.py?raw=1#L1)', '/acme/bert/blob/main/src/x.py'],
    ['a heading', '[x](#Getting-Started)', '#readme-getting-started'],
    ['another site', '[x](https://a.example/?b=1&c)', 'https://a.example/?b=1&amp;c'],
    ['a site without a scheme', '[x](//a.example/b)', 'https://a.example/b'],
    ['a person', '<a@b.example>', 'mailto:a@b.example'],
    ['a picture', '![x](pic.png)', '/acme/bert/blob/main/docs/pic.png'],
  ])('links to %s', (_, text, href) => {
    expect(render(text)).toContain(`<a href="${href}" rel="nofollow noopener noreferrer">`)
  })

  test('is shown with its headings, lists, tables and code', () => {
    const html = render('# A "b"\n\n3. *x*\n\n|a|b|\n|-|-:|\n|`c`|**d**|\n\n```\n<e>\n```\n')
    expect(html).toBe(
      [
        '<h3 id="readme-a-b">A &quot;b&quot;</h3>\n<ol start="3"><li><em>x</em></li>\n</ol>\n',
        '<table><thead><tr><th>a</th>\n<th class="right">b</th>\n</tr>\n</thead>\n<tbody><tr>',
        '<td><code>c</code></td>\n<td class="right"><strong>d</strong></td>\n</tr>\n</tbody>\n</table>\n',
        '<pre><code>&lt;e&gt;\n</code></pre>\n',
      ].join(''),
    )
  })

  test('that becomes too large is given up', () => {
    const link = `[a]: https://a.example/${'x'.repeat(1900)}\n\n`
    expect(render(link + '[a]'.repeat(5000))).toBeUndefined()
  })

  test.each(['>', '- ', '[', '![', '*a **a ', '[a](', '`a``', '[a]: <\n', '* a\n\n  '])(
    'of nothing but %j is read to its end',
    (piece) => {
      expect(typeof render(piece.repeat(rounds(2048, 65_536) / piece.length))).toBe('string')
    },
  )
})
