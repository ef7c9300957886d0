/** Refuses a commit to a repository that has grown beyond its bound. */

import { type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import type { Repository } from '../git/index.ts'

export interface RepositoryRoom {
  refuseFull(uid: RepositoryUid, repository: Repository): Promise<Refusal | undefined>
}

interface Measured {
  readonly bytes: number
  readonly until: number
}

const mostRemembered = 10_000

/**
 * A repository is measured again after ten seconds, and after a hundred times as long as it takes. So it can grow beyond its
 * bound by the commits of that time.
 */
export function repositoryRoom(mostBytes: number, now = () => performance.now()): RepositoryRoom {
  const known = new Map<RepositoryUid, Measured>()
  const measure = async (uid: RepositoryUid, repository: Repository) => {
    const began = now()
    const bytes = await repository.sizeBytes()
    const took = now() - began
    known.delete(uid)
    known.set(uid, { bytes, until: now() + Math.max(10_000, 100 * took) })
    const oldest = known.keys().next().value
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
    return bytes
  }
  return {
    async refuseFull(uid, repository) {
      const found = known.get(uid)
      const isKnown = found !== undefined && found.until > now()
      const bytes = isKnown ? found.bytes : await measure(uid, repository)
      if (bytes < mostBytes) return undefined
      const detail = `The repository has ${bytes} bytes in git, and may have ${mostBytes}. Large files lie in the storage and do not count.`
      return refuse('quota_exceeded', detail)
    },
  }
}
