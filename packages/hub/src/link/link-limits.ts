/**
 * Limits the requests of one storage to its hub: a stolen credential must not stop the hub, nor
 * fill its disk.
 */

import type { HubTokenId, Refusal } from '@latchkey/protocol'
import { limiter, type SharedCounts, tooMany } from '@latchkey/service/limits/rate-limiter'
import { shares } from '@latchkey/service/limits/shares'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { LinkDeps } from './link-routes.ts'

/** Eight long polls of one storage, and a few questions beside them. */
const questions = { max: 256, maxOfAccount: 12 }

/** A collection of everything raises a few a second. */
const epochsPerMinute = 6000

export function linkLimits(
  stopwatch: Stopwatch,
  counts?: SharedCounts,
): Pick<LinkDeps, 'takeSlot' | 'refuseEpochs'> {
  const epochs = limiter(epochsPerMinute, stopwatch, counts?.limit('epoch'))
  // All of a question or none: one that is refused and asked again must not use up what it waits for.
  const refuseEpochs = (hubTokenId: HubTokenId, count: number): Refusal | undefined =>
    tooMany(
      epochs.take(hubTokenId, count),
      `This storage has raised more than ${epochsPerMinute} epochs in a minute.`,
    )
  const slots = shares(questions)
  return { takeSlot: (account) => slots.takeNow({ account }), refuseEpochs }
}

/** A busy forge asks hundreds at once. Those that wait for the database keep token requests waiting no longer. */
const forgeQuestions = { max: 1024, maxOfAccount: 768 }

export function forgeLimits(): Pick<LinkDeps, 'takeSlot'> {
  const slots = shares(forgeQuestions)
  return { takeSlot: (account) => slots.takeNow({ account }) }
}
