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
  /** The pack of a push. Throws `PushTooLarge` where it takes more than is left. */
  countPush(uid: RepositoryUid, pack: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

export class ProposalTooLarge extends Error {
  readonly refusal: Refusal

  constructor(maxBytes: number) {
    super('the proposal is too large')
    this.refusal = fullForReaders(maxBytes)
  }
}

export class PushTooLarge extends Error {
  readonly refusal: Refusal

  constructor(bytes: number, maxBytes: number) {
    super('the push is too large')
    this.refusal = full(bytes, maxBytes)
  }
}

interface Measured {
  readonly bytes: number
  readonly until: number
  /**
   * Bytes that readers and pushes have sent since. In git it takes less, or no space if the commit is refused.
   */
  sentBytes: number
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
    const measured = { bytes, until: now() + Math.max(10_000, 100 * took), sentBytes: 0 }
    cache.set(uid, measured)
    return measured
  }
  async function* counted(
    uid: RepositoryUid,
    body: AsyncIterable<Uint8Array>,
    check: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const part of body) {
      const measured = cache.get(uid)
      if (measured !== undefined) {
        measured.sentBytes += part.length
        check(measured.bytes + measured.sentBytes)
      }
      yield part
    }
  }
  return {
    async refuseFull(uid, repository, { isReader = false }) {
      const found = cache.get(uid)
      const isKnown = found !== undefined && found.until > now()
      const { bytes, sentBytes } = isKnown ? found : await measure(uid, repository)
      if (bytes + sentBytes >= maxBytes) return full(bytes + sentBytes, maxBytes)
      const isFullForReaders = bytes + sentBytes >= maxForReaders
      return isReader && isFullForReaders ? fullForReaders(maxForReaders) : undefined
    },
    countProposal: (uid, body) =>
      counted(uid, body, (bytes) => {
        if (bytes > maxForReaders) throw new ProposalTooLarge(maxForReaders)
      }),
    countPush: (uid, pack) =>
      counted(uid, pack, (bytes) => {
        if (bytes > maxBytes) throw new PushTooLarge(bytes, maxBytes)
      }),
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
