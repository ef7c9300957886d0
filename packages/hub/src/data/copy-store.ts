/** Copies the directory of one database into another one. */

import { resolve } from 'node:path'
import { copyBetween, type OnCopyProgress } from '@latchkey/service/copy/copy-between'
import { CopyRefused, type CopySource, type CopyTarget } from '@latchkey/service/copy/copy-side'
import { copiedDirectory } from '../stores/copy/copied-directory.ts'
import { openSqliteSource, openSqliteTarget } from '../stores/sqlite/copy-side.ts'
import { prepareDataDirectory } from './data-directory.ts'
import { type DatabasePlace, refuseMissing, sqliteFile } from './open-store.ts'

export interface StoreCopy {
  /** Files with relative names lie in it. */
  readonly data: string
  readonly from: DatabasePlace
  readonly to: DatabasePlace
  readonly onProgress?: OnCopyProgress
}

export interface CopiedStore {
  /** The last number of the journal that the copy has. */
  readonly number: number
  readonly rows: number
  /** In words for people. */
  readonly from: string
  readonly to: string
}

export async function copyStore({ data, from, to, onProgress }: StoreCopy): Promise<CopiedStore> {
  refuseSameFile(data, from, to)
  const sides = { openSource: () => openSource(data, from), openTarget: () => openTarget(data, to) }
  const { head, ...copied } = await copyBetween(copiedDirectory, sides, onProgress)
  return { ...copied, number: Number(head['number']) }
}

async function openSource(data: string, from: DatabasePlace): Promise<CopySource> {
  if (typeof from !== 'string') return (await postgresSide()).openPostgresSource(from)
  const file = sqliteFile(data, from)
  refuseMissing(file, 'Name the file of a hub, or its directory with --data.')
  return openSqliteSource(file)
}

async function openTarget(data: string, to: DatabasePlace): Promise<CopyTarget> {
  if (typeof to !== 'string') return (await postgresSide()).openPostgresTarget(to)
  prepareDataDirectory(data, { create: true })
  return openSqliteTarget(sqliteFile(data, to))
}

/** The driver is loaded where a PostgreSQL is named, and nowhere else. */
function postgresSide() {
  return import('../stores/postgres/copy-side.ts')
}

function refuseSameFile(data: string, from: DatabasePlace, to: DatabasePlace): void {
  if (typeof from !== 'string' || typeof to !== 'string') return
  const [one, other] = [from, to].map((place) => resolve(sqliteFile(data, place)))
  if (one === other) throw new CopyRefused(`${one} is the source and the target of this copy`)
}
