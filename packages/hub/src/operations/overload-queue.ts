/** What a hub does when it has more requests than it can answer. */

import { linkPrefix } from '@latchkey/admin-api'
import type { Stopwatch } from '@latchkey/service/limiter'
import type { ListenerQueue } from '@latchkey/service/listener'
import type { HubLog } from './log-events.ts'
import type { Metrics } from './metrics.ts'

/** Clients wait longer than this. With the time for the answer itself it is below 2 s. */
const longestWaitMs = 1500

/** An overload is a line in the log as often as this, not one for each request. */
const pauseMs = 10_000

export interface Telling {
  readonly log: HubLog
  readonly metrics: Pick<Metrics, 'requestOverloaded'>
  readonly stopwatch: Stopwatch
}

export function overloadQueue({ log, metrics, stopwatch }: Telling): ListenerQueue {
  let refused = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    longestWaitMs,
    goesFirst: ({ url = '' }) => first.some((prefix) => url.startsWith(prefix)),
    onRefused() {
      metrics.requestOverloaded()
      refused += 1
      if (stopwatch() - toldAt < pauseMs) return
      toldAt = stopwatch()
      log('overloaded', { refused })
      refused = 0
    },
  }
}

/** What gates and storages ask: without it they refuse requests of their own, and an overload would spread. */
const first: readonly string[] = ['/.well-known/', `${linkPrefix}/`]
