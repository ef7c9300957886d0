/** Judges by the newest snapshot whether a grant is still good: at the start of a request, and while one runs. */

import type { Refusal } from '@latchkey/protocol'
import { isCut, type Revocable, type RevocationList } from '@latchkey/token'
import { noNews, tokenInvalid } from '../token/token-refusals.ts'
import type { RevocationSource, Snapshot } from './revocation-source.ts'

export interface RevocationJudge {
  /** The refusal, if the grant was taken back or that cannot be known. Never waits. */
  judge(revocable: Revocable): Refusal | undefined
  /** The same by news that are as new as the normal bound promises, if the hub gives them: only then it waits. */
  judgeByNews(revocable: Revocable): Refusal | undefined | Promise<Refusal | undefined>
  /** Calls `cut` once, as soon as `judge` would refuse; gives the function that ends the watch. */
  watch(revocable: Revocable, cut: (refusal: Refusal) => void): () => void
  /** Whether requests can be judged at all. */
  isReady(): boolean
}

/** What a gate does when the hub has been silent for longer than its last head lives. */
export type WithoutNews = 'refuse' | 'admit'

export function revocationJudge(
  { latest, refresh, onAnswer }: RevocationSource,
  withoutNews: WithoutNews,
): RevocationJudge {
  const good = new WeakMap<Revocable, RevocationList>()
  const watched = new Map<object, () => void>()

  const usable = (): Snapshot | undefined => {
    const snapshot = latest()
    const isOver = snapshot?.state() === 'over'
    return isOver && withoutNews === 'refuse' ? undefined : snapshot
  }
  const judge = (revocable: Revocable): Refusal | undefined => {
    const list = usable()?.list
    if (list === undefined) return noNews
    // Most requests come with a token that was judged by this list before.
    if (good.get(revocable) === list) return undefined
    if (isCut(revocable, list)) return tokenInvalid('revoked')
    good.set(revocable, list)
    return undefined
  }
  onAnswer(() => {
    for (const look of [...watched.values()]) look()
  })
  return {
    judge,
    judgeByNews(revocable) {
      if (latest()?.state() === 'current') return judge(revocable)
      return refresh().then(() => judge(revocable))
    },
    watch(revocable, cut) {
      const watch = {}
      watched.set(watch, () => {
        const refusal = judge(revocable)
        if (refusal === undefined) return
        watched.delete(watch)
        cut(refusal)
      })
      return () => watched.delete(watch)
    },
    isReady: () => usable() !== undefined,
  }
}
