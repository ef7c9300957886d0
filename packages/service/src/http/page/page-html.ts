/** The page that a service shows to a person who opens its address in a browser. */

import { type Html, html } from './html.ts'
import { baseStyle, htmlDocument, policyFor } from './html-document.ts'

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

const style = html`${baseStyle}.state { padding: .75rem; border: 1px solid var(--edge); border-left: .5rem solid var(--no); border-radius: .25rem }
.ready { border-left-color: var(--yes) }
`

export const contentSecurityPolicy: string = policyFor(style)

export function pageHtml({ name, about, state, commands, links = [], document }: Page): Html {
  const title = `Latchkey ${name}`
  const body = html`<main>
<h1>${title}</h1>
<p>${about}</p>
<p class="state${state.isReady && ' ready'}">${stateText(state)}</p>
${commandsPart(commands)}<h2>Documentation</h2>
<ul>
${links.map(linkLine)}<li><code>${document}</code> in the source of Latchkey</li>
</ul>
</main>
`
  return htmlDocument({ title, style, body })
}

function stateText({ isReady, sentence, facts }: PageState): Html {
  const lines = Object.entries(facts).map(([name, word]) => html`<br>${name}: ${word}`)
  return html`<strong>${isReady ? 'Ready' : 'Not ready'}.</strong> ${sentence}${lines}`
}

function commandsPart(commands: readonly string[] = []): Html | undefined {
  if (commands.length === 0) return undefined
  return html`<h2>First steps</h2>\n<pre><code>${commands.join('\n')}</code></pre>\n`
}

function linkLine({ href, about }: PageLink): Html {
  return html`<li><a href="${href}">${href}</a>: ${about}</li>\n`
}
