/** A port that nobody listens on at this moment. */

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below those that a system gives out by itself, so that nobody is given it before somebody listens. */
const lowest = 20_000
const highest = 32_000
const mostTries = 100

/** Undefined where nothing can listen. */
export async function freePort(host: string): Promise<number | undefined> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const port = randomInt(lowest, highest)
    const failure = await failureToListen(host, port)
    if (failure === undefined) return port
    if (failure !== 'EADDRINUSE') return undefined
  }
  return undefined
}

function failureToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
