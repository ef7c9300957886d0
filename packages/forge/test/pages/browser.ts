/** A browser's requests to the pages of a forge: what it accepts, its cookie, and where a form comes from. */

import type { Answer, ForgeWorld, Who } from '../serve/forge-world.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export interface Visiting {
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export function visit(
  world: ForgeWorld,
  path: string,
  { cookie, headers = {} }: Visiting = {},
): Promise<Answer> {
  return world.ask(path, { headers: { accept, ...(cookie && { cookie }), ...headers } })
}

/** A form of this hub, unless the headers say otherwise. */
export async function submit(
  world: ForgeWorld,
  path: string,
  form: Readonly<Record<string, string>>,
  { cookie, headers = { 'sec-fetch-site': 'same-origin' } }: Visiting = {},
): Promise<Answer> {
  const answer = await fetch(world.hub.url + path, {
    method: 'POST',
    headers: { accept, ...(cookie && { cookie }), ...headers },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: undefined }
}

/** The cookie of a new session. */
export async function login(world: ForgeWorld, who: Who): Promise<string> {
  const answer = await submit(world, '/login', { token: world.tokenOf(who) })
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return cookie
}
