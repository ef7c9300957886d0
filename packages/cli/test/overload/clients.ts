/** Clients of a hub on connections that are open: so many requests at once, or so many a second whatever the answers. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface Clients {
  /** More of them. */
  open(count: number): Promise<void>
  /** So many requests at once, each after the answer before it. */
  inTurn(atOnce: number, milliseconds: number): Promise<Asked>
  /** So many a second. A request for which no client is free is not sent. */
  offer(perSecond: number, milliseconds: number): Promise<Asked>
  count(): number
  close(): void
}

export interface Asked {
  /** Also those for which no client was free. */
  readonly asked: number
  /** Answered with 200 while the client waited. */
  readonly good: number
  /** How many had which other end: a status, `gave up` or `closed`. */
  readonly others: Readonly<Record<string, number>>
  /** How long good answers took, the shortest first. */
  readonly durations: readonly number[]
}

/** Then a client closes its connection, and opens another one for its next request. */
const patienceMs = 2000

const tickMs = 5

interface Client {
  socket: Socket
  isAsking: boolean
  sentAt: number
  received: number
  length: number
  status: string
}

export function clientsOf(port: number, nextRequest: () => string): Clients {
  const free: Client[] = []
  const asking = new Set<Client>()
  let ended: (client: Client, end: string) => void = () => {}

  const settle = (client: Client, end: string) => {
    if (!client.isAsking) return
    client.isAsking = false
    asking.delete(client)
    free.push(client)
    ended(client, end)
  }
  const attach = (client: Client) => {
    const { socket } = client
    socket.on('error', () => {})
    socket.on('close', () => socket === client.socket && settle(client, 'closed'))
    socket.on('data', (chunk: Buffer) => {
      if (client.length === 0) readHead(client, chunk)
      client.received += chunk.length
      if (client.received >= client.length) settle(client, client.status)
    })
  }
  const newSocket = () => connect({ port, host: '127.0.0.1', noDelay: true })
  const newClient = (): Client => {
    const socket = newSocket()
    const client = { socket, isAsking: false, sentAt: 0, received: 0, length: 0, status: '' }
    attach(client)
    return client
  }
  const ask = (client: Client) => {
    if (!client.socket.writable) {
      client.socket = newSocket()
      attach(client)
    }
    Object.assign(client, { isAsking: true, sentAt: performance.now(), received: 0, length: 0 })
    asking.add(client)
    client.socket.write(nextRequest())
  }
  /** In the order in which they have asked. */
  const giveUp = () => {
    const earliest = performance.now() - patienceMs
    for (const client of asking) {
      if (client.sentAt > earliest) return
      client.socket.destroy()
      settle(client, 'gave up')
    }
  }
  const untilAnswered = async () => {
    while (asking.size > 0) {
      await delay(tickMs)
      giveUp()
    }
  }

  const inTurn = async (atOnce: number, milliseconds: number): Promise<Asked> => {
    const counts = counting()
    const until = performance.now() + milliseconds
    ended = (client, end) => {
      counts.note(client, end)
      const next = performance.now() < until ? free.pop() : undefined
      if (next !== undefined) ask(next)
    }
    for (const client of free.splice(-atOnce)) ask(client)
    await untilAnswered()
    return counts.total(counts.ends())
  }

  return {
    inTurn,
    async open(count) {
      for (let left = count; left > 0; ) {
        const some = Array.from({ length: Math.min(left, 50) }, newClient)
        await Promise.all(some.map(({ socket }) => once(socket, 'connect')))
        free.push(...some)
        // A connection is there before the hub accepts it; with an answer it is accepted.
        await inTurn(some.length, 0)
        left -= some.length
      }
    },
    async offer(perSecond, milliseconds) {
      const counts = counting()
      ended = counts.note
      const started = performance.now()
      let asked = 0
      for (let passed = 0; passed < milliseconds; ) {
        await delay(tickMs)
        giveUp()
        passed = Math.min(performance.now() - started, milliseconds)
        for (; asked < (passed / 1000) * perSecond; asked += 1) {
          // The one that has been free for longest, as different clients would.
          const client = free.shift()
          if (client !== undefined) ask(client)
        }
      }
      await untilAnswered()
      return counts.total(asked)
    },
    count: () => free.length + asking.size,
    close() {
      for (const { socket } of [...free, ...asking]) socket.destroy()
    },
  }
}

function readHead(client: Client, chunk: Buffer): void {
  const head = chunk.toString('latin1')
  client.status = head.slice(9, 12)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
  client.length = head.indexOf('\r\n\r\n') + 4 + length
}

function counting() {
  const ends: Record<string, number> = {}
  const durations: number[] = []
  return {
    note({ sentAt }: Client, end: string) {
      if (end === '200') durations.push(performance.now() - sentAt)
      else ends[end] = (ends[end] ?? 0) + 1
    },
    ends: () => durations.length + Object.values(ends).reduce((sum, count) => sum + count, 0),
    total: (asked: number): Asked => ({
      ...{ asked, good: durations.length, others: ends },
      durations: durations.sort((one, other) => one - other),
    }),
  }
}
