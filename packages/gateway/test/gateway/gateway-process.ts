/** Starts a gateway in a process of its own and reads from the system what it holds. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gatewaySettings, scriptedHub } from '@latchkey/testing/gate/gateway'
import { startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { onTestFinished } from 'vitest'

export interface GatewayProcess {
  readonly url: string
  /** Memory of the process that is in use, in MiB. */
  residentMiB(): number
  /** Connections and listeners that the process holds. */
  sockets(): number
  /** Lets it collect its garbage, and gives in MiB what is left and so held. */
  heldMiB(): Promise<number>
}

export async function gatewayProcess(
  upstream: string,
  change: Parameters<typeof gatewaySettings>[2] = {},
): Promise<GatewayProcess> {
  const hub = await scriptedHub(() => startOfTime)
  const child = fork(join(import.meta.dirname, 'run-gateway.ts'), { execArgv: ['--expose-gc'] })
  const over = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await over
  })
  child.send({ settings: gatewaySettings(hub.url, upstream, change), now: startOfTime })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    residentMiB: () => residentMiB(child.pid),
    sockets: () => socketsOf(child.pid),
    async heldMiB() {
      child.send('collect')
      const [{ heldMiB }] = (await once(child, 'message')) as [{ heldMiB: number }]
      return heldMiB
    },
  }
}

function residentMiB(pid: number | undefined): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

function socketsOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name))
    } catch {
      // Closed between the listing and the look.
      return ''
    }
  })
  return targets.filter((target) => target.startsWith('socket:')).length
}
