/** `/login` and `/logout`: a hub token becomes a session of the pages, and a session ends. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readBody } from '@latchkey/service/http/bodies'
import { html } from '@latchkey/service/http/html'
import { addressTable } from '../addresses/find-route.ts'
import type { ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import type { ForgeReply } from '../http/reply.ts'
import { clearCookie, readCookie, setCookie } from '../sessions/cookie.ts'
import { isFromOwnPage } from '../sessions/same-origin.ts'
import { bearerOf, pastedToken } from '../sessions/sessions.ts'
import { readQuery } from '../words/query.ts'
import { asPage, type Visit } from './as-page.ts'
import { basePath } from './hrefs.ts'
import { pageReply } from './page.ts'
import { pageRoutes } from './page-routes.ts'

const maxFormBytes = 8192

export const showLogin: ForgeHandler<unknown> = asPage({
  show: async ({ hub, account, query }, _, parts) => {
    if (account === undefined) return loginPage({ next: query.get('next')?.at(-1) }, parts)
    const caller = await hub.whoami()
    return isRefusal(caller) ? caller : accountPage(caller.name, parts)
  },
  hrefOf: () => undefined,
})

/** A page of another site could log a person in as somebody else, and see what is uploaded then. */
export const logIn: ForgeHandler<unknown> = asPage({
  show: async (visit, _, parts) => {
    const form = await readForm(visit, parts)
    if (isRefusal(form)) return form
    const next = form.get('next')?.at(-1)
    const hubToken = pastedToken(form.get('token')?.at(-1) ?? '')
    if (hubToken === undefined)
      return loginPage({ next, wrong: 'Paste a hub token.', status: 400 }, parts)
    const { request, requestId } = visit
    const authorization = bearerOf(hubToken)
    const caller = await parts.port.asking({ request, requestId, authorization }).whoami()
    if (isRefusal(caller)) {
      if (caller.code !== 'hub_token_invalid') return caller
      return loginPage({ next, wrong: caller.detail, status: 401 }, parts)
    }
    endSession(visit, parts)
    const value = parts.sessions.open(hubToken, caller.name)
    return seeOther(wayBack(next, parts), setCookie(value, parts.publicUrl))
  },
  hrefOf: () => undefined,
})

export const logOut: ForgeHandler<unknown> = asPage({
  show: async (visit, _, parts) => {
    const form = await readForm(visit, parts)
    if (isRefusal(form)) return form
    endSession(visit, parts)
    return seeOther(`${basePath(parts.publicUrl)}/login`, clearCookie(parts.publicUrl))
  },
  hrefOf: () => undefined,
})

function endSession({ request }: Visit, { sessions, publicUrl }: ForgeDeps): void {
  const cookie = readCookie(request, publicUrl)
  if (cookie !== undefined) sessions.end(cookie)
}

async function readForm(
  { request }: Visit,
  { publicUrl }: ForgeDeps,
): Promise<ReadonlyMap<string, readonly string[]> | Refusal> {
  if (!isFromOwnPage(request, publicUrl)) {
    return refuse('bad_request', 'Forms are taken from the pages of this hub alone.')
  }
  const bytes = await readBody(request, { most: maxFormBytes, advice: 'Paste a hub token alone.' })
  if (isRefusal(bytes)) return bytes
  const form = readQuery(`?${Buffer.from(bytes).toString('latin1')}`)
  return form ?? refuse('bad_request', 'The form cannot be decoded.')
}

const findPage = addressTable(pageRoutes)

/** Only to a page of a repository, and by an address that is written here: nobody is led to another site. */
function wayBack(next: string | undefined, parts: ForgeDeps): string {
  const base = basePath(parts.publicUrl)
  const target = next?.startsWith(`${base}/`) ? next.slice(base.length) : ''
  const found = findPage('GET', target)
  const isPage = found !== undefined && !isRefusal(found)
  return (isPage ? found.row.hrefOf(found.address, parts) : undefined) ?? `${base}/login`
}

function seeOther(location: string, cookie: readonly string[]): ForgeReply {
  return { status: 303, headers: ['Location', location, ...cookie], body: '' }
}

interface LoginPage {
  readonly next: string | undefined
  readonly wrong?: string
  readonly status?: number
}

function loginPage({ next, wrong, status = 200 }: LoginPage, { publicUrl }: ForgeDeps): ForgeReply {
  const complaint = wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>\n`
  const back = next !== undefined && html`<input type="hidden" name="next" value="${next}">\n`
  const main = html`<main class="narrow">
<h1>Log in</h1>
<p>Paste a hub token to see the repositories that it may read. A token that may only read is enough.</p>
${complaint}<form method="post" action="${basePath(publicUrl)}/login">
${back}<label for="token">Hub token</label>
<input id="token" name="token" type="password" required maxlength="512" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Log in</button>
</form>
<p class="note">The login ends after two hours, or when the hub token does. It shows pages; for everything else programs bring a hub token of their own.</p>
</main>
`
  return pageReply({ status, title: 'Log in', main, account: undefined, hasForms: true }, publicUrl)
}

function accountPage(account: string, { publicUrl }: ForgeDeps): ForgeReply {
  const main = html`<main class="narrow">
<h1>Logged in</h1>
<p>You are logged in as <strong>${account}</strong>.</p>
<form method="post" action="${basePath(publicUrl)}/logout"><button type="submit">Log out</button></form>
</main>
`
  return pageReply({ title: 'Logged in', main, account, hasForms: true }, publicUrl)
}
