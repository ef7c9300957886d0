/** Remembers which refs and commits were given the content of a ref that is being deleted, so that a second try continues where the first stopped. */

import type { RefUid } from '@latchkey/protocol'

export interface SavedContent {
  /** The saved content of this ref; callers add to it. */
  of(deleted: RefUid): Set<string>
  forget(deleted: RefUid): void
}

/** Refs whose deletion was begun and did not end. */
const maxRefs = 100

export function savedContent(): SavedContent {
  const all = new Map<RefUid, Set<string>>()
  return {
    of(deleted) {
      const saved = all.get(deleted) ?? new Set()
      all.delete(deleted)
      all.set(deleted, saved)
      for (const oldest of all.keys()) {
        if (all.size <= maxRefs) break
        all.delete(oldest)
      }
      return saved
    },
    forget: (deleted) => void all.delete(deleted),
  }
}
