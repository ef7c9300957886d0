/** A handler whose caller may be a browser: a session stands for its hub token, and refusals are pages. */

import { ticketHeader } from '@latchkey/admin-api/forge-codec'
import { answerRefusal, isRefusal, type Refusal } from '@latchkey/protocol'
import { acceptsHtml } from '@latchkey/service/http/headers'
import { html } from '@latchkey/service/http/html'
import type { Exchange, ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import type { ForgeReply } from '../http/reply.ts'
import { basePath } from './hrefs.ts'
import { loginHref, pageReply } from './page.ts'

/** An exchange whose hub answers the caller of the request, or of its session. */
export interface Visit extends Exchange {
  /** Undefined without a session. */
  readonly account: string | undefined
}

export interface ShownPage<Asked> {
  readonly show: (visit: Visit, address: Asked, parts: ForgeDeps) => Promise<ForgeReply | Refusal>
  /** The address of the page, for the way back from the login. */
  readonly hrefOf: (address: Asked, parts: ForgeDeps) => string | undefined
}

/** The only place where a session decides who asks. Routes that are not wrapped in this know no ticket. */
export function asPage<Asked>({ show, hrefOf }: ShownPage<Asked>): ForgeHandler<Asked> {
  return async (exchange, pageAddress, parts) => {
    const { request, requestId, signal } = exchange
    const { publicUrl, port, clientAddress } = parts
    const ticket = ticketOf(request)
    const address = clientAddress(request)
    const ofSession =
      ticket === undefined
        ? undefined
        : port.asking({ address, authorization: [], ticket, requestId })
    const account = await ofSession?.visitor()
    const hub = account === undefined || ofSession === undefined ? exchange.hub : ofSession
    const charged = { ...parts, git: parts.git.calledBy({ account: hub.payer, signal }) }
    const answer = await show({ ...exchange, hub, account }, pageAddress, charged)
    if (!isRefusal(answer) || !acceptsHtml(request.headers.accept)) return answer
    const page = { account, next: hrefOf(pageAddress, parts), requestId }
    return refusalPage(answer, page, publicUrl)
  }
}

/** The hub puts it there in place of the cookie. A program that sends a hub token is asked for by that alone. */
function ticketOf({ headers }: Exchange['request']): string | undefined {
  const { authorization, [ticketHeader]: ticket } = headers
  return authorization === undefined && typeof ticket === 'string' ? ticket : undefined
}

interface Refused {
  readonly account: string | undefined
  readonly next?: string | undefined
  readonly requestId: string
}

/** Headers that a browser acts on. */
const keptHeaders = new Set(['Allow', 'RateLimit', 'Retry-After', 'WWW-Authenticate'])

export function refusalPage(
  refusal: Refusal,
  { account, next, requestId }: Refused,
  publicUrl: string,
): ForgeReply {
  const { status, headers: all, body } = answerRefusal(refusal, { requestId })
  const { title, detail }: Readonly<Record<'title' | 'detail', string>> = JSON.parse(body)
  const passedHeaders = all.flatMap((name, at) =>
    at % 2 === 0 && keptHeaders.has(name) ? [name, all[at + 1] ?? ''] : [],
  )
  const login = loginHref(basePath(publicUrl), next)
  const offer =
    account === undefined &&
    html`<p><a href="${login}">Log in</a> if you have an account: there may be more to see.</p>\n`
  const main = html`<main class="narrow">
<h1>${title}</h1>
<p>${detail}</p>
${offer}</main>
`
  return pageReply({ status, title, main, account, next, headers: passedHeaders }, publicUrl)
}
