/** Measures how long `/healthz` waits while a client sends hostile requests, and while it sends ordinary ones. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { flagsFor } from '@latchkey/service/machine/runtime'
import { type ProbedServer, schedulerStatistics } from './probed-server.ts'
import type { Order } from './request-thread.ts'

export interface RouteCall {
  readonly route: string
  readonly authorization: string
}

export interface Waits {
  /** Milliseconds that the server computed before each response of `/healthz`. */
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
const maxTries = 6
/** No shorter wait is a stall: a slow machine takes up to 25 ms for one slice of a body and the garbage of the last ones. */
const minMs = 40

/** The routes beside whose hostile requests `/healthz` waits more than three times as long as beside their ordinary ones. */
export async function slowRoutes(
  watch: WaitWatch,
  calls: readonly CheckedCall[],
): Promise<readonly string[]> {
  const slow: string[] = []
  for (const call of calls) {
    for (let at = 0; ; at += 1) {
      const found = await minWaits(watch, calls, { call, at })
      if (found === undefined) break
      const { hostileMs, ordinaryMs } = found
      const allowedMs = Math.max(minMs, 3 * ordinaryMs)
      if (hostileMs <= allowedMs) continue
      slow.push(`${call.route}, request ${at}: ${hostileMs} ms, allowed are ${allowedMs} ms`)
    }
  }
  return slow
}

interface HostileCall {
  readonly call: CheckedCall
  readonly at: number
}

interface LeastWaits {
  readonly hostileMs: number
  /** Of the same route. 0 where the hostile request is no stall anyway. */
  readonly ordinaryMs: number
}

/** Nearly every request is no stall at its first try, and needs no control. Undefined for no further request. */
async function minWaits(
  watch: WaitWatch,
  calls: readonly CheckedCall[],
  { call, at }: HostileCall,
): Promise<LeastWaits | undefined> {
  let hostileMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await watch.beside('hostile', call, at)
    if (found === undefined) return undefined
    call.check(found.status)
    hostileMs = Math.min(hostileMs, Math.max(...found.waits))
    if (hostileMs <= minMs) return { hostileMs, ordinaryMs: 0 }
  }
  const control = await watch.beside('ordinary', call, 0)
  const ordinaryMs = control ? Math.max(...control.waits) : await medianWait(watch, calls)
  return { hostileMs, ordinaryMs }
}

/** For a route that has no ordinary request. One slow route among the others does not raise it. */
async function medianWait(watch: WaitWatch, calls: readonly CheckedCall[]): Promise<number> {
  const longest: number[] = []
  for (const call of calls) {
    const found = await watch.beside('ordinary', call, 0)
    if (found !== undefined) longest.push(Math.max(...found.waits))
  }
  return longest.toSorted((one, other) => one - other)[Math.floor(longest.length / 2)] ?? 0
}
