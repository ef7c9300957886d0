/** The headers that pass between clients and the forge, and those that the hub sets itself. */

import { clientHeaders, requestHeaders } from '@latchkey/service/http/forwarding'
import { type HeaderList, headerPairs, headerValues } from '@latchkey/service/http/headers'
import { contentPolicy } from './content-policy.ts'
import { exposedHeaders } from './forge-place.ts'

/**
 * Security boundary. Browsers know headers that act on the whole origin, and learn new ones: cookies, storage, transport,
 * service workers, reports. Proxies before the hub know others. So the hub passes these and drops the rest.
 */
const passed: ReadonlySet<string> = new Set([
  ...['allow', 'cache-control', 'content-encoding', 'content-language', 'content-length'],
  ...['content-security-policy', 'content-type', 'cross-origin-opener-policy'],
  ...['cross-origin-resource-policy', 'date', 'expires', 'last-modified', 'location', 'pragma'],
  ...['ratelimit', 'referrer-policy', 'retry-after', 'vary', 'www-authenticate'],
  ...['lfs-authenticate', 'x-error-code', 'x-error-message'],
  ...exposedHeaders.map((name) => name.toLowerCase()),
])

/** Each part of such a body has headers of its own, which some browsers obey. */
const isMultipart = /^\s*multipart\//i

export interface AnswerRules {
  /** They replace those of the forge. */
  readonly own: HeaderList
  /** A browser would ask its user for the password of the hub. */
  readonly isForBrowser: boolean
}

/** The policy of the forge may only be stricter than the hub's: browsers enforce both. */
export function answerHeaders(answered: HeaderList, { own, isForBrowser }: AnswerRules): string[] {
  const allowed: string[] = []
  for (const [name, value] of headerPairs(answered)) {
    const lower = name.toLowerCase()
    if (!passed.has(lower) || (isForBrowser && lower === 'www-authenticate')) continue
    const isParts = lower === 'content-type' && isMultipart.test(value)
    allowed.push(name, isParts ? 'application/octet-stream' : value)
  }
  const policy = contentPolicy(headerValues(allowed, 'content-type'))
  return clientHeaders(allowed, [
    ...['Content-Security-Policy', policy],
    ...['X-Content-Type-Options', 'nosniff'],
    ...own,
  ])
}

/** The client's own without its cookies; the address of the page before may have a code in it. */
export const headersForForge: (headers: HeaderList) => string[] = requestHeaders([
  ...['cookie', 'referer', 'latchkey(?:-.*)?'],
])
