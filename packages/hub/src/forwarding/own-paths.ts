/** The paths that the hub keeps for itself, whether or not it has a route there. The forge may have all others. */

import { decodeOnce, parseTokenPath, pathOf } from '@latchkey/protocol'

/** First segments. No namespace may have these names. */
const ownSegments: ReadonlySet<string> = new Set([
  ...['', '.well-known', 'account', 'admin', 'device', 'healthz', 'link', 'login', 'logout'],
  ...['metrics', 'oauth', 'openapi.json', 'readyz', 'revoke'],
])

/** Below a segment that the forge has, too. */
const ownPaths: ReadonlySet<string> = new Set(['/api/whoami', '/api/whoami-v2'])

/**
 * Security boundary: the target that the forge gets, byte for byte, or undefined for one that it never gets. Servers before and
 * behind the hub may read a path in any case, decoded, or without its dots, so the hub keeps what they could take for its own.
 */
export function forwardedTarget(url: string): string | undefined {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  if (!target.startsWith('/') || target.includes('#')) return undefined
  const path = pathOf(target)
  if (parseTokenPath(target) !== undefined || ownPaths.has(path)) return undefined
  const segments = path.slice(1).split(/[/\\]/)
  const first = decodeOnce(segments[0] ?? '')?.toLowerCase()
  if (first === undefined || ownSegments.has(first)) return undefined
  return segments.some(isDots) ? undefined : target
}

/** Throws for a route that is not in the tables above: requests for it would go to the forge. */
export function refuseShared(routes: readonly { readonly path: string }[]): void {
  const shared = routes.find(({ path }) => forwardedTarget(path) !== undefined)
  if (shared !== undefined) throw new Error(`${shared.path} is missing in the hub's own paths`)
}

function isDots(segment: string): boolean {
  return segment.length <= 6 && /^(?:\.|%2e){1,2}$/i.test(segment)
}
