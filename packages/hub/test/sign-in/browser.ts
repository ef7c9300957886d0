/** A browser at a hub, as far as the pages of sign-in see one. */

import type { Store } from '@latchkey/hub'
import type { World } from '@latchkey/testing/hub/world'

export interface Seen {
  readonly status: number
  readonly location: string | null
  readonly text: string
  readonly cookies: readonly string[]
}

export interface Sending {
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

const ownPage = { 'sec-fetch-site': 'same-origin' }

export async function visit(
  { hub }: Pick<World, 'hub'>,
  path: string,
  { cookie, headers = {} }: Sending = {},
): Promise<Seen> {
  const accept = 'text/html'
  const answer = await fetch(hub.url + path, {
    headers: { accept, ...(cookie && { cookie }), ...headers },
    redirect: 'manual',
  })
  return seen(answer)
}

export async function submit(
  { hub }: Pick<World, 'hub'>,
  path: string,
  form: Readonly<Record<string, string>>,
  { cookie, headers = ownPage }: Sending = {},
): Promise<Seen> {
  const answer = await fetch(hub.url + path, {
    method: 'POST',
    headers: { accept: 'text/html', ...(cookie && { cookie }), ...headers },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  return seen(answer)
}

async function seen(answer: Response): Promise<Seen> {
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    text: await answer.text(),
    cookies: answer.headers.getSetCookie(),
  }
}

/** The part of a cookie that a browser sends back. */
export function sentBack({ cookies }: Seen): string {
  return cookies[0]?.split(';')[0] ?? ''
}

/** The cookie of a new session. */
export async function signIn(world: World, token: string): Promise<string> {
  const secret = world.tokens[token]?.reveal() ?? token
  return sentBack(await submit(world, '/login', { token: secret }))
}

/** As if a provider had opened every session: one from a hub token manages no namespace. */
export async function asByProvider({ store }: { readonly store: Pick<Store, 'directory'> }) {
  await store.directory.note('session seen', async ({ tables }) => {
    await tables.updateTable('sessions').set({ maker_id: null, provider: 'corp' }).execute()
  })
}

export async function csrfOf(world: World, cookie: string): Promise<string> {
  const { text } = await visit(world, '/account', { cookie })
  return /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ''
}
