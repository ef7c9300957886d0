/** Every page that is written from source, by its path from docs/reference. */

import { adminApiPage, openApiJson } from './admin-api.ts'
import { cliPage } from './cli.ts'
import { configurationPage } from './configuration.ts'
import { conformancePage } from './conformance.ts'
import { decisionsPage } from './decisions.ts'
import { errorsPage } from './errors.ts'
import { glossaryPage } from './glossary.ts'
import { limitsPage } from './limits.ts'
import { logEventsPage } from './log-events.ts'
import { metricsPage } from './metrics.ts'
import { storageOpenApiJson } from './storage-openapi.ts'

export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'admin-api.md': adminApiPage,
  'openapi.json': openApiJson,
  'cli.md': cliPage,
  'configuration.md': configurationPage,
  'conformance.md': conformancePage,
  'errors.md': errorsPage,
  'limits.md': limitsPage,
  'log-events.md': logEventsPage,
  'metrics.md': metricsPage,
  'storage-openapi.json': storageOpenApiJson,
  '../glossary.md': glossaryPage,
  '../internals/decisions/README.md': decisionsPage,
}

export function fileOf(page: string): URL {
  return new URL(`../../docs/reference/${page}`, import.meta.url)
}
