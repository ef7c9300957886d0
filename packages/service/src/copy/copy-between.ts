/** Opens both sides of a copy, makes it, and closes them, however it ends. */

import type { CopiedTables } from './copied-tables.ts'
import type { CopySource, CopyTarget } from './copy-side.ts'
import { type CopiedRows, copyTables } from './copy-tables.ts'
import type { OnCopyProgress } from './progress.ts'

export interface Sides {
  openSource(): Promise<CopySource>
  openTarget(): Promise<CopyTarget>
}

export interface CopiedBetween extends CopiedRows {
  /** In words for people. */
  readonly from: string
  readonly to: string
}

/** Cut off at any point, it leaves the source as it was, and a target that nothing uses until another run has finished it. */
export async function copyBetween(
  copied: CopiedTables,
  { openSource, openTarget }: Sides,
  onProgress?: OnCopyProgress,
): Promise<CopiedBetween> {
  const source = await openSource()
  try {
    const target = await openTarget()
    try {
      const done = await copyTables(copied, { source, target, onProgress })
      return { ...done, from: source.place, to: target.place }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
