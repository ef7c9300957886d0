/** Refuses a commit to a repository that has grown beyond its bound, and one of a reader that has grown to half of it. */

import { type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import type { Repository } from '../git/index.ts'

export interface RepositoryRoom {
  refuseFull(
    uid: RepositoryUid,
    repository: Repository,
    caller: { readonly isReader?: boolean },
  ): Promise<Refusal | undefined>
  /** The body of a commit that a reader proposes. Throws `ProposalTooLarge` where it takes more than is left for readers. */
  countProposal(uid: RepositoryUid, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

export class ProposalTooLarge extends Error {
  readonly refusal: Refusal

  constructor(maxBytes: number) {
    super('the proposal is too large')
    this.refusal = fullForReaders(maxBytes)
  }
}

interface Measured {
  readonly bytes: number
  readonly until: number
  /**
   * Bytes that readers have sent since. In git it takes less, or no space if the commit is refused.
   */
  proposedBytes: number
}

const maxRemembered = 10_000

/** The rest is for accounts that may write. */
const readersPart = 1 / 2

/**
 * A repository is measured again after ten seconds, and after a hundred times as long as it takes. So it can grow beyond its
 * bound by the commits of that time.
 */
export function repositoryRoom(maxBytes: number, now = () => performance.now()): RepositoryRoom {
  const cache = new GrowingCache<RepositoryUid, Measured>({ most: maxRemembered })
  const maxForReaders = maxBytes * readersPart
  const measure = async (uid: RepositoryUid, repository: Repository) => {
    const began = now()
    const bytes = await repository.sizeBytes()
    const took = now() - began
    const measured = { bytes, until: now() + Math.max(10_000, 100 * took), proposedBytes: 0 }
    cache.set(uid, measured)
    return measured
  }
  return {
    async refuseFull(uid, repository, { isReader = false }) {
      const found = cache.get(uid)
      const isKnown = found !== undefined && found.until > now()
      const { bytes, proposedBytes } = isKnown ? found : await measure(uid, repository)
      if (bytes >= maxBytes) return full(bytes, maxBytes)
      const isFullForReaders = bytes + proposedBytes >= maxForReaders
      return isReader && isFullForReaders ? fullForReaders(maxForReaders) : undefined
    },
    async *countProposal(uid, body) {
      for await (const part of body) {
        const measured = cache.get(uid)
        if (measured !== undefined) {
          measured.proposedBytes += part.length
          const { bytes, proposedBytes } = measured
          if (bytes + proposedBytes > maxForReaders) throw new ProposalTooLarge(maxForReaders)
        }
        yield part
      }
    },
  }
}

function full(bytes: number, maxBytes: number): Refusal {
  const detail = `The repository has ${bytes} bytes in git, and may have ${maxBytes}. Large files lie in the storage and do not count.`
  return refuse('quota_exceeded', detail)
}

function fullForReaders(maxBytes: number): Refusal {
  const detail = `Accounts that may not write propose until the repository has ${maxBytes} bytes in git; large files do not count. Propose less, or ask an account that may write to commit it.`
  return refuse('quota_exceeded', detail)
}
