/** The routes by which a service is watched. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Reply, Route } from './routes.ts'

export interface Watched {
  readonly metrics: { text(): Promise<string>; readonly contentType: string }
  readonly isReady: () => boolean | Promise<boolean>
  /** Why it is not, if it is not. */
  readonly notReady: string
}

// biome-ignore format: a table is read by its columns
export function operationsRoutes(watched: Watched): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', handle: () => ({ body: '{"status":"ok"}' }) },
    { method: 'GET', path: '/readyz',  handle: () => readiness(watched) },
    { method: 'GET', path: '/metrics', handle: () => measurements(watched) },
  ]
}

async function readiness({ isReady, notReady }: Watched): Promise<Reply | Refusal> {
  return (await isReady()) ? { body: '{"status":"ready"}' } : refuse('not_ready', notReady)
}

async function measurements({ metrics }: Watched): Promise<Reply> {
  return { contentType: metrics.contentType, body: await metrics.text() }
}
