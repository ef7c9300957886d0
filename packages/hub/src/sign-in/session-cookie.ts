/** The cookie of a session. No page of another site makes a browser send it with a form, and no script can read it. */

import type { IncomingMessage } from 'node:http'
import type { Secret } from '@latchkey/protocol'
import { parseHubToken, sessionPrefix } from '../identity/hub-token.ts'

const prefixes: ReadonlySet<string> = new Set([sessionPrefix])

/** Over TLS no other host of the domain can set one of this name (`__Host-`, RFC 6265bis §4.1.3.2). */
export function cookieName(word: string, publicUrl: string): string {
  return isSecure(publicUrl) ? `__Host-${word}` : word
}

function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-latchkey' : 'latchkey-session'
}

/** Undefined also where there are two: one of them was set by somebody else. */
export function readCookie(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: string,
): string | undefined {
  const start = `${name}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const values = pairs.filter((pair) => pair.startsWith(start))
  const [value = ''] = values.map((pair) => pair.slice(start.length))
  return values.length === 1 ? value : undefined
}

export function readSession(
  request: Pick<IncomingMessage, 'headers'>,
  publicUrl: string,
): Secret<'hub-token'> | undefined {
  const value = readCookie(request, nameFor(publicUrl))
  return value === undefined ? undefined : parseHubToken(value, prefixes)
}

export function sessionCookie(
  session: Secret<'hub-token'>,
  { seconds, publicUrl }: { readonly seconds: number; readonly publicUrl: string },
): readonly string[] {
  return setCookie(nameFor(publicUrl), session.reveal(), { seconds, publicUrl })
}

export function noSessionCookie(publicUrl: string): readonly string[] {
  return setCookie(nameFor(publicUrl), '', { seconds: 0, publicUrl })
}

/** `Lax`: the way back from an identity provider, and a link in a mail, find the session. */
export function setCookie(
  name: string,
  value: string,
  { seconds, publicUrl }: { readonly seconds: number; readonly publicUrl: string },
): readonly string[] {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  return [
    'Set-Cookie',
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  ]
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
