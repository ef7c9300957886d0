/** Every file below docs/reference that is written from source. */

import { cliPage } from './cli.ts'
import { configurationPage } from './configuration.ts'
import { errorsPage } from './errors.ts'
import { logEventsPage } from './log-events.ts'
import { metricsPage } from './metrics.ts'

export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'cli.md': cliPage,
  'configuration.md': configurationPage,
  'errors.md': errorsPage,
  'log-events.md': logEventsPage,
  'metrics.md': metricsPage,
}

export function fileOf(page: string): URL {
  return new URL(`../../docs/reference/${page}`, import.meta.url)
}
