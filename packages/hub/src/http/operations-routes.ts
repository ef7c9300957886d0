/** The routes by which a hub is watched. */

import { refuse } from '@latchkey/protocol'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../operations/metrics.ts'
import { sendRefusal } from './send-refusal.ts'

export interface Watched {
  readonly metrics: Metrics
  /** Whether the database answers. */
  readonly isReady: () => Promise<boolean>
}

export function registerOperations(app: FastifyInstance, { metrics, isReady }: Watched): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    if (await isReady()) return { status: 'ready' }
    const refusal = refuse(
      'not_ready',
      'The database does not answer. The log of the hub says why.',
    )
    return sendRefusal(reply, refusal)
  })
  app.get('/metrics', async (_request, reply) => {
    return reply.type(metrics.contentType).send(await metrics.text())
  })
}
