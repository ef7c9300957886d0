/** A hub or a gate that can be killed without warning and started again at the same address. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GatewaySettings } from '@latchkey/gate/gateway'
import type { HubSettings } from '@latchkey/hub'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'

export type Service =
  | { readonly kind: 'hub'; readonly settings: HubSettings }
  | { readonly kind: 'gate'; readonly settings: GatewaySettings }

export type LogLine = Readonly<Record<string, unknown>>

export interface RunningService {
  readonly url: string
  /** What it has logged so far, also before it was started again. */
  log(): LogLine[]
  /** In the process of a test, which must go on, it is stopped instead. */
  kill(): Promise<void>
  start(): Promise<void>
}

const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compileCache }

/** The settings must name a port, so that it is found again. */
export async function serviceProcess(service: Service): Promise<RunningService> {
  let child: ChildProcess | undefined
  let text = ''
  const start = async (): Promise<void> => {
    child = fork(join(import.meta.dirname, 'run-service.ts'), {
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const over = once(child, 'exit').then(([code]) => {
      throw new Error(`the ${service.kind} ended with ${code}`)
    })
    child.send(service)
    await Promise.race([once(child, 'message'), over])
  }
  await start()
  return {
    url: `http://127.0.0.1:${service.settings.port}`,
    log: () => text.split('\n').slice(0, -1).map(readLine),
    start,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const over = once(child, 'exit')
      child.kill('SIGKILL')
      await over
    },
  }
}

/** The last line of a process that was killed may be half a line, with the next one's first after it. */
function readLine(line: string): LogLine {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
