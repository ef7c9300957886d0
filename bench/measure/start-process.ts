/** A server in a process of its own, which says by a message where it listens. It ends with its parent. */

import { type ChildProcess, fork } from 'node:child_process'
import { pin, serverCore } from '../machine.ts'

export interface Started<Ready> {
  readonly child: ChildProcess
  readonly pid: number
  readonly ready: Ready
}

export interface StartOptions {
  readonly words?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Sent before anything is expected. */
  readonly order?: object
}

export function startProcess<Ready>(
  file: URL,
  { words = [], env = {}, order }: StartOptions = {},
): Promise<Started<Ready>> {
  const child = fork(file, words, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  if (order !== undefined) child.send(order)
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file.pathname} ended with ${code}`)))
    child.once('message', (ready: Ready) => {
      const { pid = 0 } = child
      pin(pid, serverCore)
      resolve({ child, pid, ready })
    })
  })
}
