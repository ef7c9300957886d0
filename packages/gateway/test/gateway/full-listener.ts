/** A listener that takes no more connections: whoever connects waits, as with a machine that is too busy. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Listens with the shortest queue there is, and never looks at it. */
const listener = `
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** Gives its URL once its queue is full. */
export async function fullListener(): Promise<string> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  const over = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await over
  })
  const [told] = await once(child.stdout, 'data')
  const port = Number(told)
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    const isTaken = await Promise.race([once(socket, 'connect'), pause(150, undefined)])
    if (isTaken === undefined) return `http://127.0.0.1:${port}`
  }
  throw new Error('this system takes connections without end')
}
