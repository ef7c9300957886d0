import { type RefUid, type RepositoryUid, refSegment } from './ids.ts'
import { parseNormalPath } from './storage-path.ts'

/** Leaves room in every client, which must accept far longer ones. */
export const maxConfigurableCasUrlLength = 2048

const loopbackIPv4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || loopbackIPv4.test(bare)
}

/** Compared byte for byte by everyone who reads it, so only the normal form is taken. */
export function isServiceUrl(text: string): boolean {
  // The first releases of Node 20, which the client runs on, have no URL.parse.
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol)) return false
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false
  return text === url.href.replace(/\/$/, '') && !text.endsWith('/')
}

/** Placeholders stand in the path only, each at most once; no gate admits a path that is not normal. */
export function isCasUrl(text: string): boolean {
  if (text.length > maxConfigurableCasUrlLength) return false
  const [, origin, path] = /^([^/]*\/\/[^/]*)(.*)$/.exec(text) ?? []
  if (origin === undefined || path === undefined || /[{}]/.test(origin)) return false
  const filled = path.replace('{repo}', 'repo').replace('{ref}', 'ref')
  return parseNormalPath(filled || '/') !== undefined && isServiceUrl(origin + filled)
}

/** Plain http to another machine shows every token on the way. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

export interface StorageAddress {
  /** The tokens' `aud`: what stands before the first placeholder, without a trailing slash. */
  readonly audience: string
  /** Another epoch is another URL: clients remember by URL what they believe to be stored. */
  urlFor(repositoryUid: RepositoryUid, refUid: RefUid, epoch?: number): string
}

export function storageAddress(casUrl: string): StorageAddress {
  const placeholder = casUrl.indexOf('{')
  if (placeholder === -1) return { audience: casUrl, urlFor: () => casUrl }
  return {
    audience: casUrl.slice(0, placeholder).replace(/\/+$/, ''),
    urlFor: (repositoryUid, refUid, epoch = 0) =>
      casUrl.replace('{repo}', repositoryUid).replace('{ref}', refSegment(refUid, epoch)),
  }
}
