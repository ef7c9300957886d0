/** A hub or a gate in a process of its own; what it logs goes to standard output. */

import { flushCompileCache } from 'node:module'

process.once('message', async ({ kind, settings }: { kind: 'hub' | 'gate'; settings: never }) => {
  const { url } = await start[kind](settings)
  process.send?.({ url })
  // Tests kill it, so it does not come to what Node keeps at the end.
  flushCompileCache()
})
process.on('disconnect', () => process.exit())

/** Each loads only what it is. */
const start = {
  hub: async (settings: never) => (await import('@latchkey/hub')).startHub(settings),
  gate: async (settings: never) => (await import('@latchkey/gateway')).startGateway(settings),
}
