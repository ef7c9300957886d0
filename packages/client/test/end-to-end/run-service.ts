/** A hub or a gate in a process of its own; what it logs goes to standard output. */

process.once('message', async ({ kind, settings }: { kind: 'hub' | 'gate'; settings: never }) => {
  const { url } = await start[kind](settings)
  process.send?.({ url })
})
process.on('disconnect', () => process.exit())

/** Each loads only what it is. */
const start = {
  hub: async (settings: never) => (await import('@latchkey/hub')).startHub(settings),
  gate: async (settings: never) => (await import('@latchkey/gate/gateway')).startGateway(settings),
}
