/** The routes by which a hub is watched. */

import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../operations/metrics.ts'

export interface Watched {
  readonly metrics: Metrics
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>
}

export function registerOperations(app: FastifyInstance, { metrics, isReady }: Watched): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    if (await isReady()) return { status: 'ready' }
    return reply.code(503).send({ status: 'the database does not answer' })
  })
  app.get('/metrics', async (_request, reply) => {
    return reply.type(metrics.contentType).send(await metrics.text())
  })
}
