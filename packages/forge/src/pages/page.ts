import { type Html, html } from '@latchkey/service/http/html'
import { baseStyle, formStyle, htmlDocument, policyFor } from '@latchkey/service/http/page'
import type { ForgeReply } from '../http/reply.ts'
import { basePath } from './hrefs.ts'

/** The look of the pages of repositories, beyond that of every page. */
const style: Html = html`${baseStyle}${formStyle}
.files a, .crumbs a, .readme a, aside a, p a { color: var(--link) }
td a:hover, aside li a:hover { text-decoration: underline }
main { max-width: 72rem }
h1 { margin-bottom: .25rem }
h1 a { text-decoration: none }
.kind, .tag { padding: .1rem .5rem; border: 1px solid var(--edge); border-radius: 1rem; font-size: .75rem; font-weight: normal; vertical-align: middle; white-space: nowrap }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem }
@media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr) 23rem } }
table { border-collapse: collapse }
.files { width: 100%; border: 1px solid var(--line); border-radius: .25rem }
.files th { background: var(--soft); text-align: left; font-weight: 600 }
.files th, .files td { padding: .4rem .75rem; border-bottom: 1px solid var(--line) }
.files td a { text-decoration: none }
.files .size { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.crumbs { margin: .25rem 0 .75rem }
.right { text-align: right }
.center { text-align: center }
aside ul { margin: 0; padding: 0; list-style: none; max-height: 20rem; overflow-y: auto }
aside li a { text-decoration: none }
aside [aria-current] { font-weight: 600 }
pre { overflow-x: auto; margin: .5rem 0; background: var(--soft); border-color: var(--line); font-size: .875rem }
.readme { padding: .25rem 1rem; border: 1px solid var(--line); border-radius: .25rem }
.readme table { display: block; overflow-x: auto }
.readme th, .readme td { padding: .3rem .6rem; border: 1px solid var(--line) }
.readme blockquote { margin: 1rem 0; padding-left: 1rem; border-left: .25rem solid var(--line) }
.readme h3 { font-size: 1.4rem; margin: 1rem 0 .5rem }
.readme h4 { font-size: 1.2rem; margin: 1rem 0 .5rem }
.readme h5, .readme h6 { font-size: 1rem; margin: 1rem 0 .5rem }
.plain { max-height: 40rem; overflow: auto; white-space: pre }
`

export interface PageContent {
  readonly status?: number
  readonly title: string
  readonly main: Html
  /** Whose session it is shown in. */
  readonly account: string | undefined
  /** Where the login leads back to. */
  readonly next?: string | undefined
  readonly hasForms?: boolean
  readonly headers?: readonly string[]
}

const policy = policyFor(style)
const policyWithForms = policyFor(style, { hasForms: true })

export function pageReply(page: PageContent, publicUrl: string): ForgeReply {
  const { status = 200, title, main, hasForms = false, headers = [] } = page
  const body = html`${header(page, publicUrl)}${main}`
  return {
    status,
    headers: [
      ...['Content-Security-Policy', hasForms ? policyWithForms : policy],
      // With no-referrer a browser would not say which site sends a form.
      ...['Referrer-Policy', hasForms ? 'same-origin' : 'no-referrer'],
      ...['Cross-Origin-Resource-Policy', 'same-origin'],
      ...['Cross-Origin-Opener-Policy', 'same-origin'],
      ...['Vary', 'Accept, Authorization, Cookie'],
      ...headers,
    ],
    body: htmlDocument({ title: `${title} · Latchkey`, style, body }),
  }
}

function header({ account, next }: PageContent, publicUrl: string): Html {
  const base = basePath(publicUrl)
  const link =
    account === undefined
      ? html`<a href="${loginHref(base, next)}">Log in</a>`
      : html`<a href="${base}/account">Logged in as ${account}</a>`
  return html`<header><a href="${base}/">Latchkey hub</a>
<nav aria-label="Login">${link}</nav></header>
`
}

export function loginHref(base: string, next: string | undefined): string {
  return next === undefined ? `${base}/login` : `${base}/login?next=${encodeURIComponent(next)}`
}
