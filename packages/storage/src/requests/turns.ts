/** Work that takes memory or time: so many pieces of it at once, and of one repository so many that others get theirs. */

/** Waits for a turn of this repository's; gives the function that ends it. Rejects when the client has gone. */
export type TakeTurn = (repositoryUid: string, signal: AbortSignal) => Promise<() => void>

export interface MostAtOnce {
  readonly inAll: number
  readonly ofOne: number
}

interface Waiting {
  readonly repositoryUid: string
  begin(): void
}

const mostRemembered = 10_000

export function turns({ inAll, ofOne }: MostAtOnce): TakeTurn {
  const running = new Map<string, number>()
  const waiting = new Set<Waiting>()
  /** When each was served last, counted in turns; those longest ago are forgotten. */
  const served = new Map<string, number>()
  let count = 0
  let free = inAll

  const mayBegin = (repositoryUid: string) => free > 0 && (running.get(repositoryUid) ?? 0) < ofOne
  const servedAt = ({ repositoryUid }: Waiting) => served.get(repositoryUid) ?? 0
  const begin = (repositoryUid: string) => {
    free -= 1
    count += 1
    served.delete(repositoryUid)
    served.set(repositoryUid, count)
    if (served.size > mostRemembered) served.delete(served.keys().next().value ?? '')
    running.set(repositoryUid, (running.get(repositoryUid) ?? 0) + 1)
  }
  /** Who was served longest ago comes first, whatever the others have waiting. */
  const beginNext = () => {
    const able = Array.from(waiting).filter((one) => mayBegin(one.repositoryUid))
    const [next] = able.toSorted((one, other) => servedAt(one) - servedAt(other))
    next?.begin()
  }
  const end = (repositoryUid: string) => {
    free += 1
    const left = (running.get(repositoryUid) ?? 1) - 1
    if (left === 0) running.delete(repositoryUid)
    else running.set(repositoryUid, left)
    beginNext()
  }
  return async (repositoryUid, signal) => {
    signal.throwIfAborted()
    if (mayBegin(repositoryUid)) begin(repositoryUid)
    else {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(one)
          reject(signal.reason)
        }
        const one: Waiting = {
          repositoryUid,
          begin() {
            waiting.delete(one)
            signal.removeEventListener('abort', leave)
            begin(repositoryUid)
            resolve()
          },
        }
        waiting.add(one)
        signal.addEventListener('abort', leave, { once: true })
      })
    }
    return () => end(repositoryUid)
  }
}
