/** A catalogue in PostgreSQL as one side of a copy. */

import type { CopySource, CopyTarget } from '@latchkey/service/copy'
import {
  openSchemaSource,
  openSchemaTarget,
  type PostgresKind,
} from '@latchkey/service/copy/postgres-side'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { migrating } from './migrate-catalog.ts'

const kind: PostgresKind = {
  ...migrating,
  withPositions: ['stored_files', 'epoch_outbox'],
  user: 'a storage',
}

export function openPostgresSource(settings: PostgresSettings): Promise<CopySource> {
  return openSchemaSource(settings, kind)
}

export function openPostgresTarget(settings: PostgresSettings): Promise<CopyTarget> {
  return openSchemaTarget(settings, kind)
}
