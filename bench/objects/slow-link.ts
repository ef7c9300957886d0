/** A link to a store that carries so many megabytes per second in all, both ways together. */

import { connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const [port = 0, megabytesPerSecond = 1] = process.argv.slice(2).map(Number)
const bytesPerMs = megabytesPerSecond * 1024 * 1.024
let freeAtMs = 0

/** Comes back when the link has carried these bytes behind all others. */
async function carry(bytes: number): Promise<void> {
  freeAtMs = Math.max(freeAtMs, performance.now()) + bytes / bytesPerMs
  const ms = freeAtMs - performance.now()
  // A timer takes a millisecond at least.
  if (ms > 1) await setTimeout(ms)
}

async function handOn(from: Socket, to: Socket): Promise<void> {
  try {
    for await (const part of from) {
      await carry(part.length)
      if (!to.write(part)) await new Promise((resolve) => to.once('drain', resolve))
    }
    to.end()
  } catch {
    to.destroy()
  }
}

const server = createServer((near) => {
  const far = connect(port, '127.0.0.1')
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy())
    void handOn(one, other)
  }
}).listen(0, '127.0.0.1', () => {
  const { port: own } = Object(server.address())
  process.send?.({ url: `http://127.0.0.1:${own}` })
})
process.on('disconnect', () => process.exit())
