/** Work on one repository at a time, in the order in which it was asked for. */

import type { RepositoryUid } from '@latchkey/protocol'

export type InTurn = <Result>(uid: RepositoryUid, work: () => Promise<Result>) => Promise<Result>

export function inTurn(): InTurn {
  const last = new Map<RepositoryUid, Promise<unknown>>()
  return async (uid, work) => {
    const before = last.get(uid)
    const own = (before ?? Promise.resolve()).then(work, work)
    last.set(uid, own)
    try {
      return await own
    } finally {
      if (last.get(uid) === own) last.delete(uid)
    }
  }
}
