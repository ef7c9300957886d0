/** A hub or a gate in the process of its test: where none is killed, it need not be loaded once more. */

import { startGateway } from '@latchkey/gateway'
import { startHub } from '@latchkey/hub'
import type { RunningService, Service } from './service-process.ts'

export async function serviceHere(service: Service): Promise<RunningService> {
  const written: string[] = []
  const lines = { write: (line: string) => void written.push(line), async close() {} }
  const launch = () =>
    service.kind === 'hub'
      ? startHub(service.settings, { lines })
      : startGateway(service.settings, { lines })
  let running = await launch()
  return {
    url: running.url,
    log: () => written.map((line) => JSON.parse(line)),
    kill: () => running.stop(),
    async start() {
      running = await launch()
    },
  }
}
