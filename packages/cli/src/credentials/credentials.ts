/** Logins of this user: a hub token for each hub, and the hub that commands use by default. */

import type { Secret } from '@latchkey/protocol'

export interface Credentials {
  readonly current: string | undefined
  /** By the URL of their hub, to which alone they may go. */
  readonly tokens: ReadonlyMap<string, Secret<'hub-token'>>
}

export const nobody: Credentials = { current: undefined, tokens: new Map() }

export function logIn(
  { tokens }: Credentials,
  url: string,
  token: Secret<'hub-token'>,
): Credentials {
  return { current: url, tokens: new Map([...tokens, [url, token]]) }
}

/** No other hub takes the place of the current one: it is named, or logged in to, before it is meant. */
export function logOut({ current, tokens }: Credentials, url: string): Credentials {
  return {
    current: current === url ? undefined : current,
    tokens: new Map([...tokens].filter(([hub]) => hub !== url)),
  }
}
