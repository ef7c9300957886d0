/** What every page of Latchkey is made of: its frame, its look, and the policy that lets a browser run and load nothing. */

import { createHash } from 'node:crypto'
import { type Html, html } from './html.ts'

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

/** Nothing runs, nothing is loaded, and no other page frames it. */
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
