/** Answers a browser that opens the address of a service, and leaves every other request as it was. */

import type { IncomingMessage } from 'node:http'
import type { Serve } from '../call.ts'
import { factsOf, type Watched, whyNotReady } from '../operations-routes.ts'
import type { Reply } from '../serve-routes.ts'
import { type ServeRoutesDeps, serveRoutes } from '../serve-routes.ts'
import { acceptsHtml } from './accepts-html.ts'
import { contentSecurityPolicy, type Page, type PageState, pageHtml } from './page-html.ts'

export interface FrontPage extends Omit<Page, 'state'> {
  /** What `/readyz` of the same listener tells; metrics and numbers stay there. */
  readonly watched: Omit<Watched, 'metrics'>
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
