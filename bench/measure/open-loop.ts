/** Requests at a fixed rate, whether or not earlier ones were answered: a stall delays all that were due in it. */

import { connect, type Socket } from 'node:net'
import { answerReader } from './answer-reader.ts'
import type { Load } from './load.ts'

export interface OpenLoop {
  readonly perSecond: number
  readonly milliseconds: number
  readonly connections: number
}

/** The milliseconds from the moment at which each request was due to the end of its answer. */
export async function openLoop(
  { port, host = '127.0.0.1', request }: Load,
  { perSecond, milliseconds, connections }: OpenLoop,
): Promise<readonly number[]> {
  const total = Math.floor((perSecond * milliseconds) / 1000)
  const latencies: number[] = []
  const idle: (() => void)[] = []
  const done = Promise.withResolvers<void>()
  const started = performance.now()
  const dueAt = (index: number) => started + (index * 1000) / perSecond
  let sent = 0
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => open(port, host, done.reject)),
  )
  for (const socket of sockets) driveConnection(socket)
  sendDue()
  await done.promise
  for (const socket of sockets) socket.destroy()
  return latencies

  function driveConnection(socket: Socket): void {
    let due = 0
    const send = () => {
      due = dueAt(sent)
      sent += 1
      socket.write(request())
    }
    socket.on(
      'data',
      answerReader((status) => {
        if (status < 200 || status > 299) done.reject(new Error(`an answer has status ${status}`))
        latencies.push(performance.now() - due)
        if (latencies.length === total) done.resolve()
        // What is late already goes out on the first connection that is free.
        else if (sent < total && dueAt(sent) <= performance.now()) send()
        else idle.push(send)
      }),
    )
    idle.push(send)
  }

  /** Turns without a pause: a timer of a millisecond is coarser than the gaps between requests. */
  function sendDue(): void {
    while (sent < total && dueAt(sent) <= performance.now()) {
      // In turn: a server ends a connection that brings no request for long.
      const send = idle.shift()
      if (send === undefined) break
      send()
    }
    if (sent < total) setImmediate(sendDue)
  }
}

function open(port: number, host: string, fail: (error: Error) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket))
    socket.on('error', (error) => {
      reject(error)
      fail(error)
    })
  })
}
