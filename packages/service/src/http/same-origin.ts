/** Whether a page of this hub made a request, or a page of another site had a browser make it. */

import type { IncomingMessage } from 'node:http'

/** For a form: a request of which nothing is known was sent by no browser, and is refused. */
export function isFromOwnPage(request: IncomingMessage, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  // Browsers leave it out on plain HTTP outside of loopback.
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && isOwnOrigin(origin, request, publicUrl)
}

/** For an answer with content: also a person who typed the address. */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** The listener has checked the host name already. */
function isOwnOrigin(origin: string, { headers }: IncomingMessage, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const { host, origin: own } = new URL(origin)
  return own === new URL(publicUrl).origin || host === headers.host
}
