/** The page that a service shows to a person who opens its address in a browser. */

import { createHash } from 'node:crypto'

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

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --paper: #fff; --edge: #60646c; --yes: #0f6b3a; --no: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #edeef0; --paper: #111214; --edge: #9ba1a6; --yes: #5bd08c; --no: #ff9a8f }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere }
h1 { margin: 0 0 1rem; font-size: 1.5rem }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem }
ul { padding-left: 1.25rem }
a { color: inherit }
a:focus-visible { outline: 3px solid; outline-offset: 2px }
pre { padding: .75rem; border: 1px solid var(--edge); border-radius: .25rem; white-space: pre-wrap }
.state { padding: .75rem; border: 1px solid var(--edge); border-left: .5rem solid var(--no); border-radius: .25rem }
.ready { border-left-color: var(--yes) }
`

/** Nothing runs, nothing is loaded, nothing is sent, and no other page frames it. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function pageHtml({ name, about, state, commands, links, document }: Page): string {
  const title = `Latchkey ${name}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p class="state${state.isReady ? ' ready' : ''}">${stateText(state)}</p>
${commandsPart(commands)}<h2>Documentation</h2>
<ul>
${(links ?? []).map(linkLine).join('')}<li><code>${escapeHtml(document)}</code> in the source of Latchkey</li>
</ul>
</main>
</body>
</html>
`
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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
