/** A handler whose caller may be a browser: a session stands for its hub token, and refusals are pages. */

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

/** The only place where a session decides who asks. Routes that are not wrapped in this know no cookie. */
export function asPage<Asked>({ show, hrefOf }: ShownPage<Asked>): ForgeHandler<Asked> {
  return async (exchange, address, parts) => {
    const { request, requestId, signal } = exchange
    const { publicUrl, port } = parts
    const isProgram = request.headers.authorization !== undefined
    const visitor = isProgram ? undefined : await port.visitor(request, requestId)
    const { account, questions: hub = exchange.hub, clearCookie: headers = [] } = visitor ?? {}
    const charged = { ...parts, git: parts.git.calledBy({ account: hub.payer, signal }) }
    const answer = await show({ ...exchange, hub, account }, address, charged)
    if (!isRefusal(answer) || !acceptsHtml(request.headers.accept)) return answer
    const page = { account, next: hrefOf(address, parts), headers, requestId }
    return refusalPage(answer, page, publicUrl)
  }
}

interface Refused {
  readonly account: string | undefined
  readonly next?: string | undefined
  readonly headers?: readonly string[]
  readonly requestId: string
}

/** Headers that a browser acts on. */
const keptHeaders = new Set(['Allow', 'RateLimit', 'Retry-After', 'WWW-Authenticate'])

export function refusalPage(
  refusal: Refusal,
  { account, next, headers = [], requestId }: Refused,
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
  return pageReply(
    { status, title, main, account, next, headers: [...passedHeaders, ...headers] },
    publicUrl,
  )
}
