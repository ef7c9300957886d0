/** The page of an account: its sessions and hub tokens, and the form for a new one. */

import { type Clock, formatTime, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { type Html, html } from '@latchkey/service/http/html'
import type { Reply } from '@latchkey/service/http/routes'
import type { Directory, Reading } from '../tables/directory.ts'
import { namespacesOf } from '../verbs/held-roles.ts'
import { liveSessions } from './open-session.ts'
import type { OwnDeps } from './own-hub-tokens.ts'
import type { HubTokenPolicy, MadeToken } from './own-plans.ts'
import { basePath, signInPage } from './page-reply.ts'
import type { Session, SessionPort } from './session-port.ts'

/** A page with more rows helps nobody; the command lists all. */
const maxRows = 200

interface AccountDeps {
  readonly directory: Pick<Directory, 'readBeside'>
  readonly own: Pick<OwnDeps, 'policy'>
  readonly sessions: SessionPort
  readonly publicUrl: string
  readonly clock: Clock
}

export async function accountPage(session: Session, deps: AccountDeps): Promise<Reply | Refusal> {
  const { directory, publicUrl, own } = deps
  const now = deps.clock()
  const { sessions, hubTokens, namespaces } = await directory.readBeside(async (tables) => ({
    namespaces: session.isFromHubToken
      ? []
      : await namespacesOf(tables, { ...session, now }, maxRows),
    sessions: await liveSessions(tables, session.accountId, now).limit(maxRows).execute(),
    hubTokens: await liveHubTokens(tables, session, now),
  }))
  const base = basePath(publicUrl)
  const csrf = html`<input type="hidden" name="csrf" value="${session.csrfToken}">`
  const form = { base, csrf }
  const isFresh = session.isFresh(now)
  const again = deps.sessions.freshSignInPath(`${base}/account`)
  const main = html`<form method="post" action="${base}/logout">${csrf}<button type="submit">Sign out</button></form>
<h2>Hub tokens</h2>
${table(
  ['Name', 'Kind', 'Ends', 'Last used', ''],
  hubTokens.map((row) => [
    html`${row.name} <span class="note">…${row.hint}</span>`,
    html`${row.kind} <span class="note">${row.origin}</span>`,
    html`${day(row.expires_at) ?? 'never'}`,
    html`${day(row.last_used_at) ?? 'not yet'}`,
    html`${isFresh && canRotate(row) && button(form, `${row.id}/rotate`, 'Rotate', row.name)}${button(form, `${row.id}/revoke`, 'Revoke', row.name)}`,
  ]),
)}
<h2>New hub token</h2>
${isFresh ? newTokenForm(form, own.policy) : html`<p><a class="button" href="${again}">Sign in again</a> to create or rotate a hub token.</p>\n`}
${namespaceLinks(base, namespaces)}<h2>Sessions</h2>
${table(
  ['Signed in', 'By', 'Last seen', ''],
  sessions.map((row) => [
    html`${formatTime(row.created_at as UnixSeconds)}`,
    html`${row.provider ?? 'hub token'}`,
    html`${formatTime(row.last_seen_at as UnixSeconds)}`,
    row.id === session.hubTokenId
      ? html`this browser`
      : button(
          form,
          `${row.id}/revoke`,
          'End',
          `the session of ${formatTime(row.created_at as UnixSeconds)}`,
        ),
  ]),
)}`
  return signInPage({ title: session.accountName, main, session }, publicUrl)
}

type Held = Awaited<ReturnType<typeof namespacesOf>>

/** To the pages of those that the account manages: no page for a session from a hub token. */
function namespaceLinks(base: string, held: Held): Html | undefined {
  const names = held.filter(({ role }) => role === 'admin').map(({ name }) => name)
  if (names.length === 0) return undefined
  const links = names.map(
    (name) =>
      html`<li><a href="${base}/account/namespaces/${encodeURIComponent(name)}">${name}</a></li>\n`,
  )
  return html`<h2>Namespaces that you manage</h2>\n<ul>${links}</ul>\n`
}

interface FormPlace {
  readonly base: string
  readonly csrf: Html
}

function button({ base, csrf }: FormPlace, path: string, word: string, what: string): Html {
  return html`<form method="post" action="${base}/account/hub-tokens/${path}">${csrf}<button type="submit" aria-label="${word} ${what}">${word}</button></form> `
}

function newTokenForm({ base, csrf }: FormPlace, { kinds, maxDays }: HubTokenPolicy): Html {
  const options = kinds.map((kind) => html`<option>${kind}</option>`)
  const [most, days] =
    maxDays === 0
      ? [undefined, '90']
      : [html` max="${maxDays}" required`, String(Math.min(maxDays, 90))]
  return html`<form method="post" action="${base}/account/hub-tokens">${csrf}
<label for="name">Name</label><input id="name" name="name" required maxlength="96" autocomplete="off">
<label for="kind">Kind</label><select id="kind" name="kind">${options}</select>
<label for="days">Ends after days</label><input id="days" name="days" type="number" min="1" value="${days}"${most}>
<p class="note">For the kind fine-grained alone:</p>
<label for="repositories">Repositories, one in a line</label><textarea id="repositories" name="repositories" rows="2" placeholder="models/acme/bert"></textarea>
<label for="contents">Contents</label><select id="contents" name="contents"><option>read</option><option>write</option></select>
<label for="refs">Refs, if not all</label><input id="refs" name="refs" autocomplete="off" placeholder="main">
<button type="submit">Create</button>
</form>
`
}

function table(heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>\n`
  return html`<table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table>
`
}

/** The one page that shows a secret, once. */
export function madePage(
  { name, token, expiresAt }: MadeToken,
  session: Session,
  publicUrl: string,
): Reply {
  const end = expiresAt === undefined ? 'It has no end.' : `It ends at ${formatTime(expiresAt)}.`
  const main = html`<p>This is the hub token. It is shown once; copy it now. ${end}</p>
<pre><code id="token">${token.reveal()}</code></pre>
<p><a href="${basePath(publicUrl)}/account">Your account</a></p>
`
  return signInPage({ title: `Hub token ${name}`, main, session }, publicUrl)
}

function liveHubTokens(tables: Reading, { accountId }: Session, now: UnixSeconds) {
  return tables
    .selectFrom('hub_tokens')
    .select(['id', 'name', 'kind', 'origin', 'hint', 'expires_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('origin', '<>', 'session')
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(maxRows)
    .execute()
}

function canRotate({ kind, origin }: { readonly kind: string; readonly origin: string }): boolean {
  return ['read', 'write', 'fine-grained'].includes(kind) && ['admin', 'self'].includes(origin)
}

function day(moment: number | null): string | undefined {
  return moment === null ? undefined : formatTime(moment as UnixSeconds).slice(0, 10)
}
