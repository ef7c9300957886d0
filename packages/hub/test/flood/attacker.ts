/** Holds many connections of one address to a hub, and keeps requests under way on each, in a process of its own. */

import { connect } from 'node:net'

export interface Attack {
  readonly port: number
  readonly connections: number
  /** Requests that are under way on each connection at once. */
  readonly pipelined: number
  readonly request: string
}

/** Told once every connection is open and has sent its requests, and again for each message. */
export interface Attacked {
  readonly open: number
  readonly responses: number
}

/** At most so many connections are being opened at once, so that none waits for a place in the queue of the kernel. */
const openingAtOnce = 50

process.once('message', ({ port, connections, pipelined, request }: Attack) => {
  let [open, responses, opened] = [0, 0, 0]
  const report = () => process.send?.({ open, responses } satisfies Attacked)
  const begin: (() => void)[] = []
  let hasBegun = false
  const openOne = () => {
    opened += 1
    const socket = connect({ port, host: '127.0.0.1' })
    let isOpen = false
    socket.on('error', () => {})
    socket.once('connect', () => {
      isOpen = true
      open += 1
      const send = () => socket.write(request.repeat(pipelined))
      if (hasBegun) return send()
      begin.push(send)
      if (opened < connections) return openOne()
      if (begin.length < connections) return undefined
      hasBegun = true
      for (const one of begin) one()
      process.on('message', report)
      return report()
    })
    socket.once('close', () => {
      if (isOpen) open -= 1
      setTimeout(openOne, 100)
    })
    socket.on('data', (chunk) => {
      const heard = chunk.toString('latin1').split('HTTP/1.1 ').length - 1
      responses += heard
      socket.write(request.repeat(heard))
    })
  }
  while (opened < Math.min(openingAtOnce, connections)) openOne()
})

process.once('disconnect', () => process.exit())
