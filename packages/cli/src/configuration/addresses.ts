/** Which hosts, addresses and URLs a configuration may name. */

import { isIP, isIPv4 } from 'node:net'

/** Leaves room in every client, which must accept far longer ones. */
export const longestConfiguredCasUrl = 2048

export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^(?!.*[.-]$)[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(text)
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}

/** The URL of a host and port, IPv6 addresses in brackets. */
export function urlOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** Compared byte for byte by everyone who reads it, so only the normal form is taken. */
export function isServiceUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false
  return text === url.href.replace(/\/$/, '') && !text.endsWith('/')
}

/** Placeholders stand in the path only, each at most once. */
export function isCasUrl(text: string): boolean {
  if (text.length > longestConfiguredCasUrl) return false
  const [, origin, path] = /^([^/]*\/\/[^/]*)(.*)$/.exec(text) ?? []
  if (origin === undefined || path === undefined || /[{}]/.test(origin)) return false
  const filled = path.replace('{repo}', 'repo').replace('{ref}', 'ref')
  return !/[{}]/.test(filled) && isServiceUrl(origin + filled)
}

/** Plain http to another machine shows every token on the way. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (text === '*') return true
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.origin === text
}
