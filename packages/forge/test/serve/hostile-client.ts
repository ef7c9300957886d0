/** A thread that sends requests one after the other, so that its own work is no work of the hub's thread. */

import { request as ask } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { hostileRequests } from './hostile-bodies.ts'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

export interface Batch {
  readonly url: string
  readonly authorization: string
  /** Ordinary requests, or the route that gets all of its hostile ones. They are made here. */
  readonly asked: readonly HostileRequest[] | { readonly route: string; readonly name: string }
}

parentPort?.on('message', async ({ url, authorization, asked }: Batch) => {
  const requests = 'route' in asked ? (hostileRequests(asked.name).get(asked.route) ?? []) : asked
  const statuses: number[] = []
  for (const one of requests) statuses.push(await send(url, authorization, one))
  parentPort?.postMessage(statuses)
})

/** 0 where the hub closed the connection before it had the whole body. */
function send(
  url: string,
  authorization: string,
  { method, path, type, body = '' }: HostileRequest,
): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const bytes = Buffer.from(body)
    const headers = {
      ...(type && { 'content-type': type, 'content-length': bytes.length }),
      ...{ authorization, origin: 'https://hub.example' },
    }
    const sent = ask({ hostname, port, method, path, headers, agent: false }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end(bytes)
  })
}
