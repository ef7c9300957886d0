/** Requests that are slow to read, and how a thread sends them. */

import { request as ask } from 'node:http'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

/** Exported by a module that knows the routes of a server. A thread imports it: it makes the bodies where it sends them. */
export interface HostileBodies {
  hostileRequests(route: string): readonly HostileRequest[]
  /** The list is empty where they would delete what others read. */
  ordinaryRequests(route: string): readonly HostileRequest[]
}

/** So many bytes of items. */
export function filled(bytes: number, item: (at: number) => string, between = ','): string {
  const items: string[] = []
  for (let length = 0; length < bytes; length += (items.at(-1)?.length ?? 0) + between.length) {
    items.push(item(items.length))
  }
  return items.join(between)
}

/** 0 where the hub closed the connection before it had the whole body. */
export function sendHostile(
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
