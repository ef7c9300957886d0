/** Floods a hub with reports from a process of its own, each from another address, and tells how they were answered. */

import { Agent, request } from 'node:http'

export interface Flood {
  readonly url: string
  readonly posts: number
  readonly senders: number
  readonly tokens: readonly string[]
}

process.once('message', async ({ url, posts, senders, tokens }: Flood) => {
  const agent = new Agent({ keepAlive: true, maxSockets: senders })
  const statuses: Record<number, number> = {}
  let next = 0
  const send = async () => {
    for (let index = next++; index < posts; index = next++) {
      const leaked = [tokens[index % tokens.length], `lk_${'a'.repeat(49)}`, 'invented']
      const address = `10.0.${index >> 8}.${index & 255}`
      const status = await post({ url, agent }, address, JSON.stringify({ tokens: leaked }))
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  process.send?.(statuses, () => process.exit())
})

function post(
  { url, agent }: { readonly url: string; readonly agent: Agent },
  address: string,
  body: string,
): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/revoke`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject).end(body)
  })
}
