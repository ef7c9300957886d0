/**
 * Markdown as HTML that cannot do harm. A library reads the text; every tag and attribute is written here, from a closed list,
 * so that no rule of the library can let another through. Raw HTML is text, and images are links.
 */

import { type Html, html } from '@latchkey/service/http/html'
import MarkdownIt, { type Token } from 'markdown-it'
import { headingId, linkTarget, type ReadmePlace } from './repo-links.ts'

/** A table or a link that is used a thousand times makes much of little. */
const maxHtml = 1024 * 1024

const markdown = new MarkdownIt({ html: false, linkify: false, maxNesting: 40 })

/** The page has headings of its own above those of a README. */
const headings: Readonly<Record<string, string>> = {
  ...{ h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' },
}

/** By the name of a token without `_open` and `_close`. */
const pairs: Readonly<Record<string, string>> = {
  ...{ paragraph: 'p', blockquote: 'blockquote', bullet_list: 'ul', ordered_list: 'ol' },
  ...{ list_item: 'li', table: 'table', thead: 'thead', tbody: 'tbody', tr: 'tr' },
  ...{ em: 'em', strong: 'strong', s: 's' },
}

/** Undefined for a text that becomes too large: it is to be shown as it is. */
export function renderMarkdown(text: string, place: ReadmePlace): string | undefined {
  const writer = new Writer(place)
  writer.write(markdown.parse(text, {}))
  return writer.html
}

class Writer {
  readonly #place: ReadmePlace
  readonly #parts: string[] = []
  readonly #ids = new Set<string>()
  /** Undefined stands for a link that leads nowhere. */
  readonly #links: (string | undefined)[] = []
  #length = 0

  constructor(place: ReadmePlace) {
    this.#place = place
  }

  get html(): string | undefined {
    return this.#isFull ? undefined : this.#parts.join('')
  }

  get #isFull(): boolean {
    return this.#length > maxHtml
  }

  write(tokens: readonly Token[]): void {
    for (const [at, token] of tokens.entries()) {
      if (this.#isFull) return
      if (token.type === 'inline') this.write(token.children ?? [])
      else if (!token.hidden) this.#put(this.#one(token, tokens[at + 1]))
    }
  }

  #put({ markup }: Html): void {
    this.#length += markup.length
    this.#parts.push(markup)
  }

  #one(token: Token, next: Token | undefined): Html {
    const { type, content } = token
    switch (type) {
      case 'softbreak':
        return html`\n`
      case 'hardbreak':
        return html`<br>\n`
      case 'hr':
        return html`<hr>\n`
      case 'code_inline':
        return html`<code>${content}</code>`
      case 'code_block':
      case 'fence':
        return html`<pre><code>${content}</code></pre>\n`
      case 'heading_open':
        return this.#heading(token, next)
      case 'heading_close':
        return html`</${headings[token.tag] ?? 'h6'}>\n`
      case 'link_open':
        return this.#linkStart(String(token.attrGet('href') ?? ''))
      case 'link_close':
        return this.#links.pop() === undefined ? nothing : html`</a>`
      case 'image':
        return this.#image(token)
      default:
        return pairOf(token) ?? html`${content}`
    }
  }

  #heading({ tag }: Token, next: Token | undefined): Html {
    const name = headings[tag] ?? 'h6'
    const id = headingId(next?.content ?? '')
    if (this.#ids.has(id)) return html`<${name}>`
    this.#ids.add(id)
    return html`<${name} id="${id}">`
  }

  #linkStart(href: string): Html {
    const target = linkTarget(href, this.#place)
    this.#links.push(target)
    return target === undefined ? nothing : anchor(target)
  }

  /** A picture of another site would tell that site who reads. */
  #image(token: Token): Html {
    const label = html`[${token.content.trim().slice(0, 200) || 'image'}]`
    const isInLink = this.#links.some((link) => link !== undefined)
    const target = isInLink
      ? undefined
      : linkTarget(String(token.attrGet('src') ?? ''), this.#place)
    return target === undefined ? label : html`${anchor(target)}${label}</a>`
  }
}

const nothing = html``

function anchor(target: string): Html {
  return html`<a href="${target}" rel="nofollow noopener noreferrer">`
}

/** Undefined for a token that is no tag of the list. */
function pairOf(token: Token): Html | undefined {
  const { type } = token
  const name = type.replace(/_(?:open|close)$/, '')
  if (name === type) return undefined
  const isOpen = type.endsWith('_open')
  const end = token.block ? '\n' : ''
  if (name === 'th' || name === 'td')
    return isOpen ? cellStart(token, name) : html`</${name}>${end}`
  const tag = Object.hasOwn(pairs, name) ? pairs[name] : undefined
  if (tag === undefined) return nothing
  if (isOpen && tag === 'ol') return listStart(token)
  return isOpen ? html`<${tag}>` : html`</${tag}>${end}`
}

function cellStart(token: Token, name: 'th' | 'td'): Html {
  const [, side] = /^text-align:(center|right)$/.exec(String(token.attrGet('style') ?? '')) ?? []
  return side === undefined ? html`<${name}>` : html`<${name} class="${side}">`
}

function listStart(token: Token): Html {
  const start = String(token.attrGet('start') ?? '1')
  return /^\d{1,9}$/.test(start) && start !== '1' ? html`<ol start="${start}">` : html`<ol>`
}
