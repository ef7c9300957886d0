/** A thread that asks for `/healthz` again and again over one connection, and notes how long each response takes. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type ProbedServer, schedulerStatistics } from './probed-server.ts'

/** A stall seems shorter by at most so much. */
const pauseMs = 5

const { url, statistics: ofServer }: ProbedServer = workerData
const ofProber = schedulerStatistics()
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
    const [began, queuedBefore] = [performance.now(), queuedMs()]
    await ask()
    const [ended, queuedAfter] = [performance.now(), queuedMs()]
    waits.push(Math.max(0, ended - began - (queuedAfter - queuedBefore)))
    await delay(pauseMs)
  } while (!isEnding)
  return waits
}

/** How long the two threads have been ready to run while other threads had the cores: the machine's load, not a stall. */
function queuedMs(): number {
  return [ofServer, ofProber].reduce((sum, file) => {
    if (file === undefined) return sum
    const [, queuedNs] = readFileSync(file, 'utf8').split(' ')
    return sum + Number(queuedNs) / 1e6
  }, 0)
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
