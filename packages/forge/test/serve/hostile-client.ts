/** A thread that sends requests one after the other, so that its own work is no work of the hub's thread. */

import { parentPort } from 'node:worker_threads'
import { type HostileRequest, sendHostile } from '@latchkey/testing/http/hostile-request'
import { hostileRequests } from './hostile-bodies.ts'

export interface Batch {
  readonly url: string
  readonly authorization: string
  /** Ordinary requests, or the route that gets all of its hostile ones. They are made here. */
  readonly asked: readonly HostileRequest[] | { readonly route: string; readonly name: string }
}

parentPort?.on('message', async ({ url, authorization, asked }: Batch) => {
  const requests = 'route' in asked ? (hostileRequests(asked.name).get(asked.route) ?? []) : asked
  const statuses: number[] = []
  for (const one of requests) statuses.push(await sendHostile(url, authorization, one))
  parentPort?.postMessage(statuses)
})
