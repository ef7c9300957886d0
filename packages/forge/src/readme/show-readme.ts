/** A README as its page shows it: the beginning as HTML, and what is beyond the bound as text. */

import { type Html, html } from '@latchkey/service/http/html'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { findFrontMatter } from './card/front-matter.ts'
import type { ReadmeThread } from './open-readme-thread.ts'
import type { ReadmePlace } from './repo-links.ts'

export interface Readme {
  readonly text: string
  /** The hash of the file: what has the same hash and place looks the same. */
  readonly hash: string
  readonly place: ReadmePlace
  /** The work is charged to this account, or network of a client. */
  readonly payer: string
}

export type ShowReadme = (readme: Readme) => Promise<Html>

/** Hostile markdown of this length takes up to 0.5 s of CPU, a usual README a few milliseconds. */
const maxRendered = 64 * 1024
const maxCached = 8 * 1024 * 1024

export function showReadmes({ render }: Pick<ReadmeThread, 'render'>): ShowReadme {
  const cache = new GrowingCache<string, Html>({
    most: maxCached,
    sizeOf: ({ markup }) => markup.length,
  })
  return async ({ text, hash, place, payer }) => {
    const key = `${hash} ${place.files} ${place.folder}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const [first, rest] = cut(findFrontMatter(text)?.body ?? text)
    const rendered = await render({ text: first, place, payer })
    if (rendered === undefined) return plain(first + rest)
    const page = rest === '' ? rendered : html`${rendered}${plain(rest)}`
    cache.set(key, page)
    return page
  }
}

/** At the end of a line, where there is one in the last part. */
function cut(text: string): readonly [string, string] {
  if (text.length <= maxRendered) return [text, '']
  const line = text.lastIndexOf('\n', maxRendered)
  const at = line > maxRendered / 2 ? line + 1 : maxRendered
  return [text.slice(0, at), text.slice(at)]
}

function plain(text: string): Html {
  return html`<pre>${text}</pre>`
}
