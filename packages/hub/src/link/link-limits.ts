/** What one storage may ask of its hub: a stolen credential must not stop the hub, nor fill its disk. */

import type { HubTokenId, Refusal } from '@latchkey/protocol'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limiter'
import { waitingSlots } from '../journal/waiting-slots.ts'
import type { LinkPorts } from './ports.ts'

/** Eight long polls, and a few questions beside them. */
const mostAtOnce = 12

/** A collection of everything raises a few a second. */
const epochsPerMinute = 6000

export function linkLimits(stopwatch: Stopwatch): Pick<LinkPorts, 'takeSlot' | 'refuseEpochs'> {
  const epochs = limiter(epochsPerMinute, stopwatch)
  const refuseEpochs = (hubTokenId: HubTokenId, count: number): Refusal | undefined => {
    for (let taken = 0; taken < count; taken += 1) {
      const refused = tooMany(
        epochs.take(hubTokenId),
        `This storage has raised more than ${epochsPerMinute} epochs in a minute.`,
      )
      if (refused !== undefined) return refused
    }
    return undefined
  }
  return { takeSlot: waitingSlots(mostAtOnce), refuseEpochs }
}
