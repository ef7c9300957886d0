/** A hub or a gate that can be killed without warning, and started again at the same address in the process of its test. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GatewaySettings } from '@latchkey/gateway'
import type { HubSettings } from '@latchkey/hub'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { serviceHere } from './service-here.ts'

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
  let text = ''
  const child = fork(join(import.meta.dirname, 'run-service.ts'), {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const ended = once(child, 'exit')
  const over = ended.then(([code]) => {
    throw new Error(`the ${service.kind} ended with ${code}`)
  })
  child.send(service)
  await Promise.race([once(child, 'message'), over])
  let next: RunningService | undefined
  return {
    url: `http://127.0.0.1:${service.settings.port}`,
    // The last line of a killed process may be half a line.
    log: () => [
      ...text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
      ...(next?.log() ?? []),
    ],
    async start() {
      next = await serviceHere(service)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
      await next?.kill()
    },
  }
}
