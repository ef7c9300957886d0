/** All parts of the benchmarks by name. A part is loaded in its own process alone. */

import type { Part } from './part.ts'

// biome-ignore format: a table is read by its columns
export const parts: Readonly<Record<string, () => Promise<Part>>> = {
  issue:    async () => (await import('./parts/issue.ts')).issue,
  peers:    async () => (await import('./parts/peers.ts')).peers,
  latency:  async () => (await import('./parts/latency.ts')).latency,
  memory:   async () => (await import('./parts/memory.ts')).memory,
  start:    async () => (await import('./parts/start.ts')).start,
  check:    async () => (await import('./parts/check.ts')).check,
  proxies:  async () => (await import('./parts/proxies.ts')).proxies,
  client:   async () => (await import('./parts/client.ts')).client,
  storage:  async () => (await import('./parts/storage.ts')).storage,
  objects:  async () => (await import('./parts/objects.ts')).objects,
  collection: async () => (await import('./parts/collection.ts')).collection,
  transfer: async () => (await import('./parts/transfer.ts')).transfer,
  forge:    async () => (await import('./parts/forge.ts')).forge,
  growth:   async () => (await import('./parts/growth.ts')).growth,
  slope:    async () => (await import('./parts/slope.ts')).slope,
  changes:  async () => (await import('./parts/changes.ts')).changes,
  hidden:   async () => (await import('./parts/hidden.ts')).hidden,
  plans:    async () => (await import('./parts/plans.ts')).plans,
  identity: async () => (await import('./parts/identity.ts')).identity,
  stalls:   async () => (await import('./parts/stalls.ts')).stalls,
}

/** What takes longer, or has nothing to be compared with, runs only by its name. */
const alone = [
  'objects',
  'collection',
  'forge',
  'growth',
  'slope',
  'changes',
  'hidden',
  'plans',
  'identity',
  'stalls',
]

export const partsOfWholeRun: readonly string[] = Object.keys(parts).filter(
  (name) => !alone.includes(name),
)
