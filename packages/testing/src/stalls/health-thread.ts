/** A thread that asks for `/healthz` again and again over one connection, and notes how long the server lets each wait. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { ProbedServer } from './probed-server.ts'

/** A stall seems shorter by at most so much. */
const pauseMs = 5

const { url, statistics }: ProbedServer = workerData
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let isEnding = false

/** Each watch begins with one message and ends with the next. Its last request is one that the watched work may delay. */
parentPort?.on('message', () => {
  isEnding = true
})
for (;;) {
  await new Promise((resolve) => parentPort?.once('message', resolve))
  isEnding = false
  parentPort?.postMessage(await watch())
}

async function watch(): Promise<readonly number[]> {
  const waits: number[] = []
  do {
    const began = busyMs()
    await ask()
    waits.push(busyMs() - began)
    await delay(pauseMs)
  } while (!isEnding)
  return waits
}

/**
 * How long the server's thread has computed. A stall is a computation; all else that a request waits for, such as a core or
 * a collection on other threads, is the machine's load. Where the system has no such count, load counts too.
 */
function busyMs(): number {
  if (statistics === undefined) return performance.now()
  return Number(readFileSync(statistics, 'utf8').split(' ', 1)[0]) / 1e6
}

/** A connection that the server closed between two requests is opened again. */
async function ask(): Promise<void> {
  for (;;) {
    const sent = get(new URL('/healthz', url), { agent })
    const [response]: IncomingMessage[] = await once(sent, 'response').catch((error) => {
      if (sent.reusedSocket) return []
      throw error
    })
    if (response === undefined) continue
    if (response.statusCode !== 200) throw new Error(`/healthz: ${response.statusCode}`)
    await once(response.resume(), 'end')
    return
  }
}
