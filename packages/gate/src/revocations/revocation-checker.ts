/** Judges by the newest snapshot whether a grant is still good: at the start of a request, and while one runs. */

import type { Refusal } from '@latchkey/protocol'
import { areRequestsApart } from '@latchkey/service/machine/runtime'
import { isRevokedBy, type Revocable, type RevocationList } from '@latchkey/token'
import { letEnd } from '../platform/let-end.ts'
import { noNews, tokenInvalid } from '../token/token-refusals.ts'
import { callEach, type RevocationSource, type Snapshot } from './revocation-source.ts'

export interface RevocationChecker {
  /** The refusal, if the grant was taken back or that cannot be known. Never waits. */
  check(revocable: Revocable): Refusal | undefined
  /** The same by news that are as new as the normal bound promises, if the hub gives them: only then it waits. */
  checkFresh(revocable: Revocable, now?: number): Refusal | undefined | Promise<Refusal | undefined>
  /** Calls `cut` once, as soon as `judge` would refuse; gives the function that ends the watch. */
  watch(revocable: Revocable, cut: (refusal: Refusal) => void): () => void
  /** Whether requests can be judged at all. */
  isReady(): boolean
}

/** The reaction of a gate to a hub that has been silent for longer than its last head lives. */
export type WhenStale = 'reject' | 'allow'

/** A running request that outlives the hub's last head is cut within this time. */
const sweepMs = 1000

export function revocationChecker(
  source: RevocationSource,
  whenStale: WhenStale,
): RevocationChecker {
  const { latest, refresh, isAskedInVain } = source
  const good = new WeakMap<Revocable, RevocationList>()
  const isUsable = (snapshot: Snapshot | undefined): snapshot is Snapshot =>
    snapshot !== undefined && (whenStale === 'allow' || snapshot.state() !== 'over')
  const checkBy = (snapshot: Snapshot, revocable: Revocable): Refusal | undefined => {
    const { list } = snapshot
    // Most requests come with a token that was judged by this list before.
    if (good.get(revocable) === list) return undefined
    if (isRevokedBy(revocable, list)) return tokenInvalid('revoked')
    good.set(revocable, list)
    return undefined
  }
  const check = (revocable: Revocable): Refusal | undefined => {
    const snapshot = latest()
    return isUsable(snapshot) ? checkBy(snapshot, revocable) : noNews
  }
  return {
    check,
    checkFresh(revocable, now) {
      const snapshot = latest()
      if (snapshot?.state(now) === 'current') return checkBy(snapshot, revocable)
      return isAskedInVain() ? check(revocable) : refresh().then(() => check(revocable))
    },
    watch: watcher(source, check),
    isReady: () => isUsable(latest()),
  }
}

/** Judges every running request again after each answer of the hub, and each second, because a head ends by itself. */
function watcher(
  { latest, refresh, isAskedInVain, onAnswer }: RevocationSource,
  check: RevocationChecker['check'],
): RevocationChecker['watch'] {
  const watched = new Map<object, () => void>()
  let timer: NodeJS.Timeout | undefined
  // A request whose end fails must not keep the others from being cut.
  const look = () => callEach(watched.values())
  /** Asks first where that helps: a clock that was set forward ends a head, too, and the hub may have another one. */
  const withNews = (checkAgain: () => void) => {
    if (latest()?.state() === 'current' || isAskedInVain()) checkAgain()
    else if (areRequestsApart) void refresh().then(checkAgain)
    else void refresh()
  }
  const lookAt = (watch: object) => watched.get(watch)?.()
  const end = (watch: object) => {
    watched.delete(watch)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  if (!areRequestsApart) onAnswer(look)
  return (revocable, cut) => {
    const watch = {}
    const own = areRequestsApart
      ? setInterval(() => withNews(() => lookAt(watch)), sweepMs)
      : undefined
    const leave = () => {
      clearInterval(own)
      end(watch)
    }
    watched.set(watch, () => {
      const refusal = check(revocable)
      if (refusal === undefined) return
      leave()
      cut(refusal)
    })
    // News may have come since the request was let in.
    queueMicrotask(() => withNews(() => lookAt(watch)))
    if (!areRequestsApart) timer ??= letEnd(setInterval(() => withNews(look), sweepMs))
    return leave
  }
}
