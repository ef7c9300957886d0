/** Asks hubs in turn, one request after the other, from an address of its own and in a process of its own. */

import { Agent, get } from 'node:http'

export interface Questions {
  readonly hubs: readonly { readonly url: string; readonly authorization: string }[]
  /** For each of them. */
  readonly count: number
}

/** The replies of one hub. */
export interface Replies {
  readonly statuses: number[]
  readonly milliseconds: number[]
}

/** Another loopback address than that of the attack. */
const localAddress = '127.0.0.2'
const kept = new Agent({ keepAlive: true, maxSockets: 1 })

process.on('message', async ({ hubs, count }: Questions) => {
  const replies: Replies[] = hubs.map(() => ({ statuses: [], milliseconds: [] }))
  for (let asked = 0; asked < count; asked += 1) {
    for (const [index, { url, authorization }] of hubs.entries()) {
      const startedAt = performance.now()
      // Every second one on a new connection.
      const status = await ask(url, authorization, asked % 2 === 0 ? kept : false)
      replies[index]?.milliseconds.push(performance.now() - startedAt)
      replies[index]?.statuses.push(status)
    }
  }
  process.send?.(replies)
})

function ask(url: string, authorization: string, agent: Agent | false): Promise<number> {
  return new Promise((resolve) => {
    const sent = get(url, { agent, headers: { authorization }, localAddress }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', () => resolve(0))
  })
}
