/** Posts reports to a hub, as whoever finds a token does. */

import type { World } from '@latchkey/testing/hub/world'

export interface Posted {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Posting {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** A text is sent as it is, anything else as JSON. */
export async function post(
  world: Pick<World, 'hub'>,
  body: unknown,
  { headers = {}, method = 'POST' }: Posting = {},
): Promise<Posted> {
  const response = await fetch(`${world.hub.url}/revoke`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

export function codeIn({ status, text }: Posted): readonly [number, unknown] {
  return [status, JSON.parse(text).code]
}

/** Everything but what differs between any two answers. */
export function alike({ status, headers, text }: Posted): object {
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
  return { status, headers: Object.fromEntries(kept), text }
}
