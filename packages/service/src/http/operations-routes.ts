/** The routes by which a service is watched. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { ContentType, Reply, Route } from './routes.ts'

export interface WatchedService {
  readonly metrics: { text(): Promise<string>; readonly contentType: ContentType }
  readonly isReady: () => boolean | Promise<boolean>
  /** Why it is not, if it is not. */
  readonly notReady: string | (() => Promise<string>)
  /** Said by `/readyz` beside the status, and no reason not to be ready. */
  readonly says?: () => Facts | Promise<Facts>
  /** A process that this one runs, by the name that `/readyz` calls it. */
  readonly companions?: Readonly<Record<string, StatusSource>>
}

export type Facts = Readonly<Record<string, string | object>>

/** A process that a service runs and outlives: shown beside the service, and no reason for it not to be ready. */
export interface StatusSource {
  isReady(): Promise<boolean>
  /** In the format of the service's own metrics, with no name in common. */
  metricsText(): Promise<string>
}

// biome-ignore format: a table is read by its columns
export function operationsRoutes(watched: WatchedService): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', handle: () => ({ body: '{"status":"ok"}' }) },
    { method: 'GET', path: '/readyz',  handle: () => readiness(watched) },
    { method: 'GET', path: '/metrics', handle: () => measurements(watched) },
  ]
}

/** For a listener that serves nothing else. */
export const noOperation = refuse(
  'not_found',
  'This port serves /healthz, /readyz and /metrics only.',
)

async function readiness(watched: WatchedService): Promise<Reply | Refusal> {
  if (!(await watched.isReady())) return refuse('not_ready', await whyNotReady(watched))
  return { body: JSON.stringify({ status: 'ready', ...(await factsOf(watched)) }) }
}

export async function whyNotReady({ notReady }: Pick<WatchedService, 'notReady'>): Promise<string> {
  return typeof notReady === 'string' ? notReady : notReady()
}

/** The facts that a ready service adds. */
export async function factsOf({
  says,
  companions = {},
}: Pick<WatchedService, 'says' | 'companions'>): Promise<Facts> {
  const words = Object.entries(companions).map(async ([name, companion]) => {
    return [name, (await companion.isReady()) ? 'ready' : 'down']
  })
  return { ...(await says?.()), ...Object.fromEntries(await Promise.all(words)) }
}

async function measurements({ metrics, companions = {} }: WatchedService): Promise<Reply> {
  const others = Object.values(companions).map((companion) => companion.metricsText())
  const texts = await Promise.all([metrics.text(), ...others])
  return { contentType: metrics.contentType, body: texts.join('') }
}
