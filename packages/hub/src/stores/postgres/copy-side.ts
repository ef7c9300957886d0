import type { CopySource, CopyTarget } from '@latchkey/service/copy'
import {
  openSchemaSource,
  openSchemaTarget,
  type PostgresKind,
} from '@latchkey/service/copy/postgres-side'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { migrations } from './migrations/migrations.ts'
import { hubSchema as schema } from './server-name.ts'

const kind: PostgresKind = {
  schema,
  migrations,
  withPositions: ['refs', 'commit_holders'],
  user: 'a hub',
}

export function openPostgresSource(settings: PostgresSettings): Promise<CopySource> {
  return openSchemaSource(settings, kind)
}

export function openPostgresTarget(settings: PostgresSettings): Promise<CopyTarget> {
  return openSchemaTarget(settings, kind)
}
