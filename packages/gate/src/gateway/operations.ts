/** The routes by which a gate is watched, on a listener of their own: every other path belongs to the storage. */

import { answerRefusal, pathOf, refuse } from '@latchkey/protocol'
import type { Serve } from '@latchkey/service/listener'
import { newId, type RandomBytes } from '@latchkey/service/random'
import type { Gate } from '../check/create-gate.ts'
import type { Metrics } from './metrics.ts'

export function serveOperations(gate: Gate, metrics: Metrics, randomBytes: RandomBytes): Serve {
  return async (request, response) => {
    const tell = (type: string, body: string) => {
      response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' })
      response.end(body)
    }
    switch (pathOf(request.url ?? '')) {
      case '/healthz':
        return tell('application/json', '{"status":"ok"}')
      case '/metrics':
        return tell(metrics.contentType, await metrics.text())
      case '/readyz':
        if (gate.isReady()) return tell('application/json', '{"status":"ready"}')
    }
    const refusal = pathOf(request.url ?? '') === '/readyz' ? notReady : notFound
    const { status, headers, body } = answerRefusal(refusal, { requestId: newId(randomBytes) })
    response.writeHead(status, [...headers])
    response.end(body)
  }
}

const notReady = refuse('not_ready', 'The gate has no keys of the hub yet. Its log says why.')

const notFound = refuse(
  'not_found',
  'Nothing is served at this path but /healthz, /readyz and /metrics.',
)
