/** The menu of the site, read from the lists and tables of docs/index.md. */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addressOf, docsFolder } from './pages.ts'

export interface MenuItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly MenuItem[]
}

/** Each section is a group; a row of a table is a group in it. */
export function menu(): readonly MenuItem[] {
  const [, ...sections] = textOf('index.md').split(/^## /m)
  return sections.map((section) => {
    const [title = '', ...lines] = section.split('\n')
    return { text: title.trim(), items: itemsOf(lines) }
  })
}

function itemsOf(lines: readonly string[]): readonly MenuItem[] {
  return lines.flatMap((line) => {
    const items = linksIn(line).map(({ text, page }) => itemOf(text, page))
    const [, purpose] = /^\| ([^|]+) \|/.exec(line) ?? []
    if (purpose === undefined || items.length === 0) return items
    return [{ text: capitalized(purpose), items }]
  })
}

/** The page of a folder brings the pages that its table lists. */
function itemOf(text: string, page: string): MenuItem {
  const item = { text: capitalized(text), link: addressOf(page) }
  const isTask = page.startsWith('guides/') && page.endsWith('/README.md')
  if (!isTask) return item
  const folder = dirname(page)
  const rows = textOf(page).match(/^\|.*\|$/gm) ?? []
  const items = rows.flatMap(linksIn).map((link) => itemOf(link.text, join(folder, link.page)))
  return { ...item, collapsed: true, items }
}

interface PageLink {
  readonly text: string
  readonly page: string
}

function linksIn(line: string): readonly PageLink[] {
  const links = line.matchAll(/\[([^\]]+)\]\(([^)#:]+\.md)\)/g)
  return Array.from(links, ([, text = '', page = '']) => ({ text, page }))
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function textOf(page: string): string {
  return readFileSync(join(docsFolder, page), 'utf8')
}
