/** How fast are uploads and downloads? `latchkey` beside `hf_xet`, with the same file and the same storage, in turn. */

import type { Figure } from '../measure/figure.ts'
import { missing, type Part } from '../part.ts'
import { findPython, release } from '../transfer/clients.ts'
import { kinds } from '../transfer/contents.ts'
import { figureOf } from '../transfer/rows.ts'

export const transfer: Part = {
  name: 'transfer',
  async figures({ rounds: count = 5, megabytes, only }) {
    const python = findPython()
    if (python === undefined) {
      const how = 'npm run bench:transfer brings it'
      return [missing('upload and download', 'hf_xet', `hf_xet ${release}`, how)]
    }
    // They load the hub and the storage.
    const { clients, measure, repositoryOf } = await import('../transfer/measure.ts')
    const { startWorld } = await import('../transfer/world.ts')
    const chosen = only.length > 0 ? kinds : kinds.slice(0, 1)
    const rounds = Array.from({ length: count + 1 }, (_, round) => round)
    const repositories = chosen.flatMap((kind) =>
      rounds.flatMap((round) => clients.map((client) => repositoryOf(kind, round, client))),
    )
    const world = await startWorld(repositories)
    try {
      const figures: Figure[] = []
      for (const kind of chosen) {
        const measured = await measure(world, { python, kind, megabytes, rounds })
        for (const direction of ['upload', 'download'] as const) {
          const work = `${direction}, ${megabytes} MB, ${kind}`
          figures.push(figureOf(work, measured[direction]))
        }
      }
      return figures
    } finally {
      await world.close()
    }
  },
}
