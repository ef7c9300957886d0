/** A storage in a process of its own, killed and started again at the same address. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface UpstreamProcess {
  readonly url: string
  kill(): Promise<void>
  restart(): Promise<void>
}

export async function upstreamProcess(): Promise<UpstreamProcess> {
  let child: ChildProcess | undefined
  const start = async (port: number): Promise<number> => {
    child = fork(join(import.meta.dirname, 'run-upstream.ts'))
    child.send({ port })
    const [taken] = await once(child, 'message')
    return Number(taken)
  }
  const kill = async () => {
    const dying = child
    child = undefined
    if (dying === undefined) return
    const over = once(dying, 'exit')
    dying.kill('SIGKILL')
    await over
  }
  onTestFinished(kill)
  const port = await start(0)
  return {
    url: `http://127.0.0.1:${port}`,
    kill,
    async restart() {
      await start(port)
    },
  }
}
