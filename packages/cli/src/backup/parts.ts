/** The parts of an installation, and which of them a backup brings back: all that it has, or the one that was asked for. */

import { quoteGiven } from '@latchkey/service/text'
import { objectsText, progress } from '../output/progress.ts'
import { refused, type Stop, wrongUsage } from '../output/stop.ts'
import type { Manifest } from './manifest.ts'

const partNames = ['hub', 'storage'] as const

export type PartName = (typeof partNames)[number]

/** The value of `--only`; undefined where it is not given. */
export function partCalled(only: unknown): PartName | undefined {
  const part = partNames.find((name) => name === only)
  if (only === undefined || part !== undefined) return part
  throw wrongUsage(
    `--only: ${quoteGiven(String(only))} is not allowed; give ${partNames.join(' or ')}`,
  )
}

export interface Parts {
  /** The last entry of the journal that is restored; undefined where the hub is not. */
  readonly journal: number | undefined
  readonly hasContent: boolean
  /** The rest of the data directory stays as it is. */
  readonly isOnly: boolean
}

interface Asked {
  readonly only: unknown
  readonly journal: unknown
}

export function chooseParts(folder: string, manifest: Manifest, { only, journal }: Asked): Parts {
  const part = partCalled(only)
  if (manifest.database === null && manifest.catalogue === null) throw ofForge(folder)
  const parts = {
    journal: part === 'storage' ? undefined : (manifest.journal ?? undefined),
    hasContent: part !== 'hub' && manifest.catalogue !== null,
    isOnly: part !== undefined,
  }
  if (parts.journal === undefined && !parts.hasContent) {
    const lacks = part === 'hub' ? 'is of a storage without its hub' : 'has no content'
    throw refused(`--only: the backup ${quoteGiven(folder)} ${lacks}; name another`)
  }
  if (journal !== undefined && parts.journal === undefined) {
    throw wrongUsage(
      '--journal: this restores no hub, so there are no changes to repeat; leave it out. The storage learns from its hub which content was deleted since.',
    )
  }
  return parts
}

function ofForge(folder: string): Stop {
  return refused(
    `${quoteGiven(folder)} is the backup of a forge alone; restore it with "latchkey forge restore"`,
  )
}

interface ProgressLine {
  show(count: number, bytes: number): void
  end(): void
}

/** Draws nothing where standard error is no terminal. */
export function progressLine(): ProgressLine {
  const { show, end } = progress()
  return { show: (count, bytes) => show(objectsText(count, bytes)), end }
}
