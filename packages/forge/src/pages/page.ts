/** A page of the forge as an answer. */

import { type Html, html } from '@latchkey/service/http/page/html'
import { htmlDocument, policyFor } from '@latchkey/service/http/page/html-document'
import type { Reply } from '../http/reply.ts'
import { basePath } from './hrefs.ts'
import { style } from './style.ts'

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

export function pageReply(page: PageContent, publicUrl: string): Reply {
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
  const word = account === undefined ? 'Log in' : `Logged in as ${account}`
  return html`<header><a href="${base}/">Latchkey hub</a>
<nav aria-label="Login"><a href="${loginHref(base, next)}">${word}</a></nav></header>
`
}

export function loginHref(base: string, next: string | undefined): string {
  return next === undefined ? `${base}/login` : `${base}/login?next=${encodeURIComponent(next)}`
}
