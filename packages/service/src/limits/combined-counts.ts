/** Counts that are shared in several ways at once: with the workers of this hub, and with other hubs. */

import type { SharedCounts } from './shared-counts.ts'

/** Limits are shared in all of the ways, levels in the first alone: they are of one machine. */
export function combinedCounts(
  near: SharedCounts | undefined,
  far: SharedCounts | undefined,
): SharedCounts | undefined {
  if (near === undefined || far === undefined) return near ?? far
  return {
    level: near.level,
    limit(name) {
      const limits = [near.limit(name), far.limit(name)]
      return {
        took: (key, count) => {
          for (const limit of limits) limit.took(key, count)
        },
        onOthers: (act) => {
          for (const limit of limits) limit.onOthers(act)
        },
      }
    },
  }
}
