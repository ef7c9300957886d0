/** The page that a service shows to a browser that opens its address, and the frame of every page of Latchkey. */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Serve } from './call.ts'
import { acceptsHtml } from './headers.ts'
import { type Html, html } from './html.ts'
import { factsOf, type WatchedService, whyNotReady } from './operations-routes.ts'
import { type Reply, type ServeRoutesDeps, serveRoutes } from './routes.ts'

export interface HtmlDocument {
  readonly title: string
  readonly style: Html
  readonly body: Html
}

export interface PageRights {
  /** Whether the page may send its forms to where it came from. */
  readonly hasForms?: boolean
}

/** Colours, text and boxes, in light and dark. */
export const baseStyle: Html = html`
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
`

/** Forms and notes, beside `baseStyle`. */
export const formStyle: Html = html`
:root { --line: #d9d9e0; --soft: #f5f6f8; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --line: #2e3135; --soft: #1a1c1e; --link: #8ab4f8 } }
header { display: flex; justify-content: space-between; gap: 1rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line) }
header a { text-decoration: none }
header a:hover { text-decoration: underline }
main.narrow { max-width: 30rem }
.note { margin: 0 0 1rem; color: var(--edge) }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
input, select, textarea { box-sizing: border-box; width: 100%; padding: .5rem; border: 1px solid var(--edge); border-radius: .25rem; background: var(--paper); color: var(--ink); font: inherit }
button, .button { display: inline-block; margin-top: 1rem; padding: .5rem 1.25rem; border: 1px solid var(--ink); border-radius: .25rem; background: var(--ink); color: var(--paper); font: inherit; text-decoration: none; cursor: pointer }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, pre:focus-visible { outline: 3px solid; outline-offset: 2px }
.wrong { padding: .75rem; border: 1px solid var(--edge); border-left: .5rem solid var(--no); border-radius: .25rem }
`

export function htmlDocument({ title, style, body }: HtmlDocument): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}</body>
</html>
`
}

/** The page runs and loads nothing, and no other page frames it. */
export function policyFor({ markup }: Html, { hasForms = false }: PageRights = {}): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(markup).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action '${hasForms ? 'self' : 'none'}'`,
    "frame-ancestors 'none'",
  ].join('; ')
}

export interface Page {
  /** `hub`: what the page calls the service. */
  readonly name: string
  /** The purpose of the service. */
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
  /** Further facts by name, for example `storage` is `ready`. */
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

export interface FrontPage extends Omit<Page, 'state'> {
  /** The state that `/readyz` of the same listener shows; metrics and numbers stay there. */
  readonly watched: Omit<WatchedService, 'metrics'>
}

/** Comes after the check of the host name and before everything else. */
export function pageBefore(rest: Serve, page: FrontPage, serving: ServeRoutesDeps): Serve {
  const servePage = serveRoutes(
    [{ method: 'GET', path: '/', handle: () => pageReply(page) }],
    serving,
  )
  return (request, response) => (asksForPage(request) ? servePage : rest)(request, response)
}

/** A request with a credential comes from a program, whatever it accepts. */
function asksForPage({ method, url, headers }: IncomingMessage): boolean {
  const isPlain = headers.authorization === undefined && url === '/'
  return isPlain && (method === 'GET' || method === 'HEAD') && acceptsHtml(headers.accept)
}

async function pageReply({ watched, ...page }: FrontPage): Promise<Reply> {
  const state = await stateOf(watched)
  return {
    status: state.isReady ? 200 : 503,
    headers: [
      ...['Content-Security-Policy', contentSecurityPolicy],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'no-referrer'],
      ...['Cross-Origin-Resource-Policy', 'same-origin'],
      ...['Vary', 'Accept'],
    ],
    body: pageHtml({ ...page, state }),
  }
}

const sentence =
  'This is the state at the moment of the request; load the page again for a newer one.'

async function stateOf(watched: FrontPage['watched']): Promise<PageState> {
  if (!(await watched.isReady())) {
    return { isReady: false, sentence: await whyNotReady(watched), facts: {} }
  }
  const facts = Object.entries(await factsOf(watched)).filter(isText)
  return { isReady: true, sentence, facts: Object.fromEntries(facts) }
}

function isText(fact: readonly [string, string | object]): fact is [string, string] {
  return typeof fact[1] === 'string'
}
