/** The page that a service shows to a person who opens its address in a browser. */

import { baseStyle, escapeHtml, htmlDocument, policyFor } from './html-document.ts'

export interface Page {
  /** `hub`: what the page calls the service. */
  readonly name: string
  /** What the service is for. */
  readonly about: string
  readonly state: PageState
  /** Commands that a reader can try. */
  readonly commands?: readonly string[]
  readonly links?: readonly PageLink[]
  /** The page of Latchkey's documentation to begin with. */
  readonly document: string
}

export interface PageState {
  readonly isReady: boolean
  readonly sentence: string
  /** What else is known, by name: `storage` is `ready`. */
  readonly facts: Readonly<Record<string, string>>
}

export interface PageLink {
  /** Relative to the page, so that a path prefix of a proxy stays. */
  readonly href: string
  readonly about: string
}

const style = `${baseStyle}.state { padding: .75rem; border: 1px solid var(--edge); border-left: .5rem solid var(--no); border-radius: .25rem }
.ready { border-left-color: var(--yes) }
`

export const contentSecurityPolicy: string = policyFor(style)

export function pageHtml({ name, about, state, commands, links, document }: Page): string {
  const title = `Latchkey ${name}`
  const body = `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p class="state${state.isReady ? ' ready' : ''}">${stateText(state)}</p>
${commandsPart(commands)}<h2>Documentation</h2>
<ul>
${(links ?? []).map(linkLine).join('')}<li><code>${escapeHtml(document)}</code> in the source of Latchkey</li>
</ul>
</main>
`
  return htmlDocument({ title, style, body })
}

function stateText({ isReady, sentence, facts }: PageState): string {
  const told = Object.entries(facts).map(([name, word]) => `<br>${escapeHtml(`${name}: ${word}`)}`)
  return `<strong>${isReady ? 'Ready' : 'Not ready'}.</strong> ${escapeHtml(sentence)}${told.join('')}`
}

function commandsPart(commands: readonly string[] = []): string {
  if (commands.length === 0) return ''
  return `<h2>First steps</h2>\n<pre><code>${escapeHtml(commands.join('\n'))}</code></pre>\n`
}

function linkLine({ href, about }: PageLink): string {
  return `<li><a href="${escapeHtml(href)}">${escapeHtml(href)}</a>: ${escapeHtml(about)}</li>\n`
}
