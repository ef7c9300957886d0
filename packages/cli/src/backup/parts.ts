/** Which parts of a backup are restored: all that it has, or the one that was asked for. */

import { quoteGiven } from '../output/escape.ts'
import { refused, wrongUsage } from '../output/stop.ts'
import type { Manifest } from './manifest.ts'

const partNames = ['hub', 'storage'] as const

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
  const isOnly = partNames.some((name) => name === only)
  if (only !== undefined && !isOnly) {
    throw wrongUsage(
      `--only: ${quoteGiven(String(only))} is not allowed; give ${partNames.join(' or ')}`,
    )
  }
  const parts = {
    journal: only === 'storage' ? undefined : (manifest.journal ?? undefined),
    hasContent: only !== 'hub' && manifest.catalogue !== null,
    isOnly,
  }
  if (parts.journal === undefined && !parts.hasContent) {
    const lacks = only === 'hub' ? 'is of a storage without its hub' : 'has no content'
    throw refused(`--only: the backup ${quoteGiven(folder)} ${lacks}; name another`)
  }
  if (journal !== undefined && parts.journal === undefined) {
    throw wrongUsage(
      '--journal: no hub is restored, so there is nothing to repeat; leave it out. The storage learns from its hub what was deleted since.',
    )
  }
  return parts
}
