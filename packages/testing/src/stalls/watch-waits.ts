/** Measures how long `/healthz` waits while a client sends hostile requests, and while it sends ordinary ones. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/source-flags'
import { type ProbedServer, schedulerStatistics } from './probed-server.ts'
import type { Order } from './request-thread.ts'

export interface RouteCall {
  readonly route: string
  readonly authorization: string
}

export interface Waits {
  /** Milliseconds of each response of `/healthz`, without those in which server or client had no core. */
  readonly waits: readonly number[]
  /** The status of the request beside it. */
  readonly status: number
}

export interface WaitWatch {
  /** Beside one request of a route. Undefined where the route has no further one of the kind. */
  beside(kind: Order['kind'], call: RouteCall, at: number): Promise<Waits | undefined>
  stop(): Promise<void>
}

/** The server runs on the thread that calls. `bodies` is the address of a module of `HostileBodies`. */
export function watchWaits(url: string, bodies: URL): WaitWatch {
  const sender = startThread('./request-thread.ts', bodies.href)
  const prober = startThread('./health-thread.ts', { url, statistics: schedulerStatistics() })
  return {
    async beside(kind, { route, authorization }, at) {
      prober.postMessage('watch')
      sender.postMessage({ url, authorization, route, kind, at } satisfies Order)
      const [status] = await once(sender, 'message')
      prober.postMessage('end')
      const [waits] = await once(prober, 'message')
      return status === undefined ? undefined : { waits, status }
    },
    async stop() {
      await Promise.all([sender.terminate(), prober.terminate()])
    },
  }
}

function startThread(name: string, workerData: string | ProbedServer): Worker {
  const entry = new URL(name, import.meta.url)
  return new Worker(entry, { execArgv: [...flagsFor(entry)], workerData })
}

export interface CheckedCall extends RouteCall {
  /** Throws at a status that says that a hostile request did not do its work. */
  readonly check: (status: number) => void
}

/** Other load comes and goes, a stall stays: the least of some tries counts. */
const [ordinaryTries, hostileTries] = [3, 6]
/** No shorter wait is a stall: a slow machine takes up to 25 ms for one slice of a body and the garbage of the last ones. */
const leastMs = 40

/** The routes beside whose hostile requests `/healthz` waits more than three times as long as beside any ordinary one. */
export async function slowRoutes(
  { beside }: WaitWatch,
  calls: readonly CheckedCall[],
): Promise<readonly string[]> {
  const ordinary = { waitMs: 0, call: calls[0] }
  const measureOrdinary = async (call: CheckedCall | undefined) => {
    let waitMs = Number.POSITIVE_INFINITY
    for (let tries = 0; call !== undefined && tries < ordinaryTries; tries += 1) {
      waitMs = Math.min(waitMs, Math.max(...((await beside('ordinary', call, 0))?.waits ?? [0])))
    }
    if (waitMs > ordinary.waitMs) Object.assign(ordinary, { waitMs, call })
  }
  const allowed = () => Math.max(leastMs, 3 * ordinary.waitMs)
  /** Undefined where the route has no further request. */
  const leastWait = async (call: CheckedCall, at: number): Promise<number | undefined> => {
    let waitMs = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < hostileTries && waitMs > allowed(); tries += 1) {
      // The machine may have become slower since.
      if (tries > 1) await measureOrdinary(ordinary.call)
      const found = await beside('hostile', call, at)
      if (found === undefined) return undefined
      call.check(found.status)
      waitMs = Math.min(waitMs, Math.max(...found.waits))
    }
    return waitMs
  }
  for (const call of calls) await measureOrdinary(call)
  const slow: string[] = []
  for (const call of calls) {
    for (let at = 0; ; at += 1) {
      const waitMs = await leastWait(call, at)
      if (waitMs === undefined) break
      if (waitMs <= allowed()) continue
      slow.push(`${call.route}, request ${at}: ${waitMs} ms, allowed are ${allowed()} ms`)
    }
  }
  return slow
}
