/** The raw segments of a request target, before anything is decoded. */

import { decodeOnce, pathOf } from '@latchkey/protocol'

/** A path of 4096 bytes, each of them encoded, and names before it. */
const longestPath = 14_000

/** Neither empty nor a dot segment, in whatever spelling: proxies resolve these, and would route elsewhere. */
const segment = '(?!(?:\\.|%2e){1,2}(?:/|$))[!-"$-.0->@-~]+'
const shape = new RegExp(`^(?:/${segment})+$`, 'i')

/** Undefined for a target that no client writes and that another server may read differently. */
export function segmentsOf(target: string): readonly string[] | undefined {
  const path = pathOf(target)
  return path.length <= longestPath && shape.test(path) ? path.slice(1).split('/') : undefined
}

/** What the segments say together, decoded once. Whether their slashes were encoded makes no difference. */
export function decodeRest(segments: readonly string[]): string | undefined {
  return segments.length === 0 ? undefined : decodeOnce(segments.join('/'))
}
