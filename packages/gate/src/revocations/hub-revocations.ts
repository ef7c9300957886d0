import {
  boundsOf,
  type Clock,
  defaultPollSeconds,
  type Moment,
  type OptionTypes,
  pollPatienceSeconds,
  type RevocationBounds,
  refuseOptions,
  shareRunning,
} from '@latchkey/protocol'
import { oneInFlight } from '@latchkey/service/limits/turns'
import { CannotStart } from '@latchkey/service/machine/errors'
import { areRequestsApart } from '@latchkey/service/machine/runtime'
import {
  isPast,
  momentAfter,
  nowBy,
  type Stopwatch,
  secondsBetween,
} from '@latchkey/service/machine/time'
import type { RevocationList } from '@latchkey/token'
import { keyFailure } from '../keys/fetch-keys.ts'
import { letEnd } from '../platform/let-end.ts'
import { askForNews } from './ask-for-news.ts'
import { type HubDocuments, headKeys } from './head-keys.ts'
import {
  type EntryKeeper,
  entriesOf,
  type HeldRevocations,
  type KeptEntries,
  keepEntries,
  noEntries,
} from './kept-entries.ts'
import { callEach, type RevocationSource, type Snapshot } from './revocation-source.ts'

export interface HubRevocationsOptions {
  readonly documents: HubDocuments
  readonly issuer: string
  readonly clock: Clock
  /** @default performance.now */
  readonly stopwatch?: Stopwatch
  /** @default 30 */
  readonly leewaySeconds?: number
  /** @default 5 */
  readonly pollSeconds?: number
  /**
   * How long a question may take, all of its documents together.
   *
   * @default 4
   */
  readonly patienceSeconds?: number
  /** Told why the hub could not be asked, and again only when the reason changes. */
  readonly onFailure?: (error: unknown) => void
  /** @default Math.random */
  readonly random?: () => number
  /**
   * Keeps the entries beyond the life of this process. Until it has given those of earlier ones, the source has none.
   *
   * @default none
   */
  readonly keeper?: EntryKeeper | undefined
}

const types: OptionTypes<HubRevocationsOptions> = {
  ...{ documents: 'object', issuer: 'string', clock: 'function', stopwatch: 'function' },
  ...{ leewaySeconds: 'number', pollSeconds: 'number', patienceSeconds: 'number' },
  ...{ onFailure: 'function', random: 'function', keeper: 'object' },
}

export function hubRevocations(options: HubRevocationsOptions): RevocationSource {
  refuseOptions('hubRevocations', options, types, CannotStart)
  const { documents, issuer, clock, stopwatch = () => performance.now() } = options
  const { leewaySeconds = 30, pollSeconds = defaultPollSeconds, random = Math.random } = options
  const { patienceSeconds = pollPatienceSeconds, onFailure = () => {}, keeper } = options
  const bounds = boundsOf(pollSeconds, patienceSeconds)
  const now = nowBy(clock, stopwatch)
  const keys = headKeys(documents.keys, now)
  const asking = { documents, keys, issuer, clock, leewaySeconds }
  const listeners = new Set<() => void>()
  const failures = tellChanges(onFailure)
  let held: HeldRevocations | undefined
  let snapshot: Snapshot | undefined
  let askedInVain: Moment | undefined
  let remembered: KeptEntries | undefined = keeper === undefined ? noEntries : undefined
  let lastKept: RevocationList | undefined

  const show = () => {
    const isTrusted = held !== undefined && keys.isPublished(held.kid)
    snapshot = held && snapshotOf(held, { clock, stopwatch, bounds, isTrusted })
    callEach(listeners)
  }
  const isKept = () => keeper === undefined || lastKept === held?.list
  const keepAll = shareRunning(async () => {
    if (keeper === undefined || held === undefined) return
    const { list } = held
    try {
      remembered = await keeper.keep(entriesOf(held))
    } catch (error) {
      failures.tell(error)
      return
    }
    lastKept = list
    // Another process may have heard more before the hub lost it.
    const current = { listed: held.listed, at: held.head.iat, isPublished: keys.isPublished }
    const lists = keepEntries(held, { ...current, remembered })
    if (lists.list === held.list) return
    if (held.list === list) lastKept = lists.list
    held = { ...held, ...lists }
    show()
  })
  const ask = async () => {
    const sent = now()
    const signal = AbortSignal.timeout(patienceSeconds * 1000)
    try {
      remembered ??= (await keeper?.keep(noEntries)) ?? noEntries
      held = await askForNews(asking, { held, remembered, sent, signal })
      if (isKept()) failures.over()
    } catch (error) {
      askedInVain = sent
      failures.tell(error)
    }
    show()
    // An entry counts at once, and is kept meanwhile.
    if (!isKept()) void keepAll()
  }
  const refresh = areRequestsApart ? ask : oneInFlight(ask)
  return {
    bounds,
    latest: () => snapshot,
    refresh,
    isAskedInVain: () =>
      askedInVain !== undefined && secondsBetween(askedInVain, now()) < bounds.normalSeconds,
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    poll: () => poll(() => void refresh(), pollSeconds, random),
  }
}

interface Judging {
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly bounds: RevocationBounds
  /** Whether the hub still publishes the key of the head. */
  readonly isTrusted: boolean
}

function snapshotOf(
  { head, list, since, confirmed }: HeldRevocations,
  { clock, stopwatch, bounds, isTrusted }: Judging,
): Snapshot {
  const now = nowBy(clock, stopwatch)
  // The hub's clock ends it, and so does the time that has passed here: each can be behind.
  const ends = momentAfter(since, head.exp - head.iat)
  const isLateAt = momentAfter(confirmed, bounds.normalSeconds)
  return {
    seq: head.seq,
    list,
    ageSeconds: () => secondsBetween(confirmed, now()),
    secondsLeft() {
      const life = head.exp - head.iat - secondsBetween(since, now())
      return isTrusted ? Math.min(head.exp - clock(), life) : 0
    },
    state(at = clock()) {
      const moment = { steadyMs: stopwatch(), wallMs: at * 1000 }
      // NaN is not before the end.
      if (!isTrusted || !(at < head.exp) || isPast(ends, moment)) return 'over'
      return isPast(isLateAt, moment) ? 'late' : 'current'
    },
  }
}

/** A hub that is away for an hour is one line in a log, not hundreds. */
function tellChanges(onFailure: (error: unknown) => void) {
  let lastReason: string | undefined
  return {
    tell(error: unknown): void {
      const { reason } = keyFailure(error)
      if (reason === lastReason) return
      lastReason = reason
      onFailure(error)
    },
    over(): void {
      lastReason = undefined
    },
  }
}

/**
 * The first time after a part of the interval, so that gates that start together do not ask together. Gives the function
 * that ends this; it does not keep the process running.
 */
export function poll(ask: () => void, everySeconds: number, random: () => number): () => void {
  let timer = letEnd(setTimeout(begin, random() * everySeconds * 1000))
  function begin(): void {
    timer = letEnd(setTimeout(begin, everySeconds * 1000))
    ask()
  }
  return () => clearTimeout(timer)
}
