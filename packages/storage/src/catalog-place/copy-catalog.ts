/** Copies the rows of a catalogue into another database. The content stays where it is. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Secret } from '@latchkey/protocol'
import {
  type CopiedBetween,
  copyBetween,
  type OnCopyProgress,
} from '@latchkey/service/copy/copy-between'
import { CopyRefused, type CopySource, type CopyTarget } from '@latchkey/service/copy/copy-side'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { copiedCatalog } from '../catalog/copied-catalog.ts'
import { openSqliteSource, openSqliteTarget } from '../catalog/copy-side.ts'
import { settingsOf } from './open-catalog.ts'

/** A file, or how a PostgreSQL is reached. */
export type CatalogSide = string | PostgresSettings

export interface CatalogCopy {
  readonly from: CatalogSide
  readonly to: CatalogSide
  readonly onProgress?: OnCopyProgress
}

export type CopiedCatalog = Omit<CopiedBetween, 'head'>

export async function copyCatalog({ from, to, onProgress }: CatalogCopy): Promise<CopiedCatalog> {
  refuseSameFile(from, to)
  const sides = { openSource: () => openSource(from), openTarget: () => openTarget(to) }
  const { head: _, ...copied } = await copyBetween(copiedCatalog, sides, onProgress)
  return copied
}

/** As a file, of one moment, while the storage runs: any machine can restore it, whatever its PostgreSQL. */
export async function backUpCatalog(database: Secret<'database-url'>, file: string): Promise<void> {
  await copyCatalog({ from: await settingsOf(database), to: file })
}

async function openSource(from: CatalogSide): Promise<CopySource> {
  if (typeof from !== 'string') {
    const { openPostgresSource } = await import('../catalog/postgres/copy-side.ts')
    return openPostgresSource(from)
  }
  if (existsSync(from)) return openSqliteSource(from)
  throw new CannotStart(
    `there is no catalogue ${from}. Name the file of a storage, or its directory with --data.`,
  )
}

async function openTarget(to: CatalogSide): Promise<CopyTarget> {
  if (typeof to === 'string') return openSqliteTarget(to)
  const { openPostgresTarget } = await import('../catalog/postgres/copy-side.ts')
  return openPostgresTarget(to)
}

function refuseSameFile(from: CatalogSide, to: CatalogSide): void {
  if (typeof from !== 'string' || typeof to !== 'string' || resolve(from) !== resolve(to)) return
  throw new CopyRefused(`${to} is the source and the target of this copy`)
}
