/** The frame of the pages on which people sign in and manage what they have made. */

import { type Html, html } from '@latchkey/service/http/html'
import { baseStyle, formStyle, htmlDocument, policyFor } from '@latchkey/service/http/page'
import type { Reply } from '@latchkey/service/http/routes'
import type { Session } from './session-port.ts'

const style = html`${baseStyle}${formStyle}
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto }
th, td { padding: .4rem .75rem; border-bottom: 1px solid var(--line); text-align: left }
td form { display: inline }
td button { margin: 0 }
code.code { font-size: 1.5rem; letter-spacing: .15em }
`
const policy = policyFor(style, { hasForms: true })

export interface SignInPage {
  readonly status?: number
  readonly title: string
  readonly main: Html
  readonly session?: Pick<Session, 'accountName'> | undefined
  readonly headers?: readonly string[]
}

/** A page that no script runs on, no other site frames, and whose forms go to the hub alone. */
export function signInPage(
  { status = 200, title, main, session, headers = [] }: SignInPage,
  publicUrl: string,
): Reply {
  const base = basePath(publicUrl)
  const account = session && html`<a href="${base}/account">Signed in as ${session.accountName}</a>`
  const body = html`<header><a href="${base}/">Latchkey hub</a>
<nav aria-label="Account">${account}</nav></header>
<main class="narrow">
<h1>${title}</h1>
${main}</main>
`
  return {
    status,
    headers: [
      ...['Content-Security-Policy', policy],
      ...['X-Content-Type-Options', 'nosniff'],
      // With no-referrer a browser would not say which site sends a form.
      ...['Referrer-Policy', 'same-origin'],
      ...['Cross-Origin-Resource-Policy', 'same-origin'],
      ...['Cross-Origin-Opener-Policy', 'same-origin'],
      ...['Vary', 'Cookie'],
      ...headers,
    ],
    body: htmlDocument({ title: `${title} · Latchkey`, style, body }),
  }
}

export function seeOther(location: string, headers: readonly string[] = []): Reply {
  return { status: 303, headers: ['Location', location, ...headers], body: '' }
}

export function basePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

/** Only a path of this hub: nobody is led to another site. Without one, the page of the account. */
export function wayBack(next: string | null | undefined, publicUrl: string): string {
  const account = `${basePath(publicUrl)}/account`
  if (next == null || !/^\/(?![/\\])[!-~]*$/.test(next) || next.includes('\\')) return account
  const { origin } = new URL(publicUrl)
  if (!URL.canParse(next, origin)) return account
  const target = new URL(next, origin)
  const isHere = target.origin === origin && !target.pathname.startsWith('//')
  return isHere ? target.pathname + target.search : account
}
