/** Logins of this user: a hub token for each hub, and the hub that commands use by default. */

import type { Secret, UnixSeconds } from '@latchkey/protocol'

export interface Credentials {
  readonly current: string | undefined
  /** By the URL of their hub, to which alone they may go. */
  readonly tokens: ReadonlyMap<string, Secret<'hub-token'>>
  /** How the hub token of a hub is renewed, where a sign-in in a browser gave it. */
  readonly devices: ReadonlyMap<string, DeviceLogin>
}

export interface DeviceLogin {
  readonly refreshToken: Secret<'refresh-token'>
  /** When the hub token ends. */
  readonly expiresAt: UnixSeconds
}

export const nobody: Credentials = { current: undefined, tokens: new Map(), devices: new Map() }

export interface NewLogin {
  readonly token: Secret<'hub-token'>
  readonly device?: DeviceLogin | undefined
}

export function logIn(
  { tokens, devices }: Credentials,
  url: string,
  { token, device }: NewLogin,
): Credentials {
  return {
    current: url,
    tokens: new Map([...tokens, [url, token]]),
    devices: new Map([
      ...others(devices, url),
      ...(device === undefined ? [] : [[url, device] as const]),
    ]),
  }
}

/** The same login with another hub token; the hub that commands use stays. */
export function renew(credentials: Credentials, url: string, login: NewLogin): Credentials {
  return { ...logIn(credentials, url, login), current: credentials.current }
}

/** No other hub takes the place of the current one: it is named, or logged in to, before it is meant. */
export function logOut({ current, tokens, devices }: Credentials, url: string): Credentials {
  return {
    current: current === url ? undefined : current,
    tokens: new Map(others(tokens, url)),
    devices: new Map(others(devices, url)),
  }
}

function others<Value>(all: ReadonlyMap<string, Value>, url: string): readonly [string, Value][] {
  return [...all].filter(([hub]) => hub !== url)
}
