/** Copies the directory of one database into another one. */

import { resolve } from 'node:path'
import { newId, pooledRandom } from '@latchkey/service/random'
import { type Copied, copyDirectory } from '../stores/copy/copy-directory.ts'
import { CopyRefused, type CopySource, type CopyTarget } from '../stores/copy/copy-side.ts'
import type { OnCopyProgress } from '../stores/copy/progress.ts'
import { openPostgresSource, openPostgresTarget } from '../stores/postgres/copy-side.ts'
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

export interface CopiedStore extends Copied {
  /** In words for people. */
  readonly from: string
  readonly to: string
}

/** Cut off at any point, it leaves the source as it was, and a target that no hub uses until another run has finished it. */
export async function copyStore({ data, from, to, onProgress }: StoreCopy): Promise<CopiedStore> {
  refuseSameFile(data, from, to)
  const source = await openSource(data, from)
  try {
    const target = await openTarget(data, to)
    try {
      const run = newId(pooledRandom())
      const copied = await copyDirectory({ source, target, run, ...(onProgress && { onProgress }) })
      return { ...copied, from: source.place, to: target.place }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function openSource(data: string, from: DatabasePlace): Promise<CopySource> {
  if (typeof from !== 'string') return openPostgresSource(from)
  const file = sqliteFile(data, from)
  refuseMissing(file, 'Name the file of a hub, or its directory with --data.')
  return openSqliteSource(file)
}

async function openTarget(data: string, to: DatabasePlace): Promise<CopyTarget> {
  if (typeof to !== 'string') return openPostgresTarget(to)
  prepareDataDirectory(data, { create: true })
  return openSqliteTarget(sqliteFile(data, to))
}

function refuseSameFile(data: string, from: DatabasePlace, to: DatabasePlace): void {
  if (typeof from !== 'string' || typeof to !== 'string') return
  const [one, other] = [from, to].map((place) => resolve(sqliteFile(data, place)))
  if (one === other) throw new CopyRefused(`${one} is the source and the target of this copy`)
}
