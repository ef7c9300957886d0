/** A gateway in a process of its own, for tests that look at what the process holds. */

import { flushCompileCache } from 'node:module'
import { startGateway } from '../../src/gateway/start-gateway.ts'

process.once('message', async ({ settings, now }: { settings: never; now: never }) => {
  const gateway = await startGateway(settings, {
    clock: () => now,
    lines: { write() {}, async close() {} },
  })
  process.on('message', () => {
    gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ heldMiB: (heapUsed + external) / 1024 / 1024 })
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ url: gateway.url })
  // Tests kill it, so it does not come to what Node keeps at the end.
  flushCompileCache()
})
