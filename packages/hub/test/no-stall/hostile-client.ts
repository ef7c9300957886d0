/** A thread that sends the hostile requests of a route: its own work is no work of the hub's thread. */

import { parentPort } from 'node:worker_threads'
import { sendHostile } from '@latchkey/testing/http/hostile-request'
import { hostileRequests } from './hostile-bodies.ts'

export interface HostileCalls {
  readonly url: string
  readonly authorization: string
  readonly route: string
}

parentPort?.on('message', async ({ url, authorization, route }: HostileCalls) => {
  const statuses: number[] = []
  for (const one of hostileRequests(route)) {
    statuses.push(await sendHostile(url, authorization, one))
  }
  parentPort?.postMessage(statuses)
})
