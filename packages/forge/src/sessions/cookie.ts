/** The cookie of a session. No page of another site makes a browser send it, and no script can read it. */

import type { IncomingMessage } from 'node:http'
import { sessionSeconds } from './sessions.ts'

/** Over TLS no other host of the domain can set one of this name (`__Host-`, RFC 6265bis §4.1.3.2). */
function nameFor(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-latchkey-session' : 'latchkey-session'
}

/** Undefined also where there are two: one of them was set by somebody else. */
export function readCookie({ headers }: IncomingMessage, publicUrl: string): string | undefined {
  const start = `${nameFor(publicUrl)}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const values = pairs.filter((pair) => pair.startsWith(start))
  const [value = ''] = values.map((pair) => pair.slice(start.length))
  return values.length === 1 && /^[\w-]{43}$/.test(value) ? value : undefined
}

export function setCookie(value: string, publicUrl: string): readonly string[] {
  return cookie(value, sessionSeconds, publicUrl)
}

export function clearCookie(publicUrl: string): readonly string[] {
  return cookie('', 0, publicUrl)
}

function cookie(value: string, seconds: number, publicUrl: string): readonly string[] {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  return ['Set-Cookie', `${nameFor(publicUrl)}=${value}; ${attributes}`]
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
