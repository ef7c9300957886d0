/** A port of this machine that no other test is given, also while the process that listens there is started anew. */

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const host = '127.0.0.1'
/** Below those that a system gives out by itself. */
const [lowest, highest] = [20_000, 32_000]
const maxTries = 1_000

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(lowest, highest)
    if ((await claim(port)) && (await isFree(port))) return port
  }
  throw new Error(`no port from ${lowest} to ${highest} is free on ${host}`)
}

/** A server of HTTP/3 takes the UDP port of its own number. */
const below = highest - lowest

/** This process keeps a UDP port until it ends: a claim that all processes see, and no server meets. */
function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port: port - below, address: host, exclusive: true })
  return once(socket, 'listening').then(
    () => true,
    () => false,
  )
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/** Whether a server accepts connections there. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
