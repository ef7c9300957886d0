/** Stands between a forge and its hub, and loses what it is told to lose. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Loss =
  /** The hub gets the question, and its response is lost. */
  | 'after'
  /** The hub gets nothing. */
  | 'before'
  /** The hub gets the question once `late` is called. */
  | 'late'

export interface BreakingProxy {
  readonly url: string
  /** Questions with this name, so many times. */
  lose(name: string, loss: Loss, times?: number): void
  /** Sends what was held back, and gives the statuses of the hub. */
  late(): Promise<readonly string[]>
  /** How often each question came. */
  readonly counts: ReadonlyMap<string, number>
  close(): void
}

export async function startBreakingProxy(hubUrl: string): Promise<BreakingProxy> {
  const losses: { name: string; loss: Loss }[] = []
  const held: (() => Promise<string>)[] = []
  const counts = new Map<string, number>()
  const forward = async (incoming: IncomingMessage, body: string): Promise<[number, string]> =>
    new Promise((resolve, reject) => {
      const { method, url = '', headers } = incoming
      const sent = request(hubUrl + url, { method: method ?? '', headers }, async (answer) =>
        resolve([answer.statusCode ?? 0, await text(answer)]),
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const name = incoming.url?.split('/').at(-1) ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const body = await text(incoming)
    const at = losses.findIndex((one) => one.name === name)
    const [loss] = at === -1 ? [] : losses.splice(at, 1)
    if (loss?.loss === 'late') held.push(async () => (await forward(incoming, body))[1])
    const answer =
      loss === undefined || loss.loss === 'after' ? await forward(incoming, body) : undefined
    if (loss !== undefined || answer === undefined) return void response.destroy()
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1])
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    lose(name, loss, times = 1) {
      for (let each = 0; each < times; each += 1) losses.push({ name, loss })
    },
    late: () => Promise.all(held.splice(0).map((send) => send())),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
