/** Why a directory file cannot be applied, or not to its end. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { StepBounds } from './applying.ts'
import type { ReportedChange } from './planning.ts'

/** The same refusal; where steps are written already, it says so. */
export function partly(refusal: Refusal, written: readonly ReportedChange[]): Refusal {
  if (written.length === 0) return refusal
  const done = `${written.length} changes of the file are made already; apply it again to make the others.`
  return { ...refusal, detail: `${refusal.detail} ${done}` }
}

export function alwaysOutdated(): Refusal {
  return refuse(
    'conflict',
    'Others kept changing what this file is about while it was applied. Apply it again when they have finished.',
  )
}

export function noRoomForAll(): Refusal {
  return refuse('storage_full', 'There is no room left to write.')
}

/** All new secrets are in one answer, and so in one transaction. */
export function refuseManyHubTokens(
  made: number,
  { wholeChanges }: StepBounds,
): Refusal | undefined {
  if (made <= wholeChanges) return undefined
  return refuse(
    'bad_request',
    `The file makes ${made} new hub tokens, and one file may make at most ${wholeChanges}: their secrets are shown once, all together. Split the list into several files.`,
    { path: 'hubTokens' },
  )
}
