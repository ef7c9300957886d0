/** A thread that sends requests, so that its own work is no work of the server's thread. */

import { parentPort, workerData } from 'node:worker_threads'
import { type HostileBodies, type HostileRequest, sendHostile } from './hostile-request.ts'

export interface Order {
  readonly url: string
  readonly authorization: string
  readonly route: string
  readonly kind: 'hostile' | 'ordinary'
  /** Which of the requests of the route and kind. */
  readonly at: number
}

const { hostileRequests, ordinaryRequests }: HostileBodies = await import(workerData)
const requestsOf = { hostile: hostileRequests, ordinary: ordinaryRequests }
let last: { readonly name: string; readonly requests: readonly HostileRequest[] } | undefined

/** Answers with the status, or with undefined where the route has no further request. */
parentPort?.on('message', async ({ url, authorization, route, kind, at }: Order) => {
  const name = `${kind} ${route}`
  if (last?.name !== name) last = { name, requests: requestsOf[kind](route) }
  const request = last.requests[at]
  parentPort?.postMessage(request && (await sendHostile(url, authorization, request)))
})
