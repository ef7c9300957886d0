/** Connects a running storage to its hub: follows its journal, and asks it before writes. */

import type { HubChanges, UnknownCursor } from '@latchkey/gate/hub-link'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { failureOf } from '@latchkey/service/observe/log'
import { readLinkState } from '../catalog/link-state.ts'
import type { UpToDate } from '../catalog/write-in-place.ts'
import type { StorageLog } from '../operations/log-events.ts'
import { askHub, type Following } from './ask-hub.ts'
import { followHub, type HubFollower } from './follow-hub.ts'
import { type Hear, hearing } from './known-number.ts'
import { credentialRefused, upToDate } from './up-to-date.ts'

export interface FollowingOptions extends Omit<Following, 'onAnswer'> {
  readonly log: StorageLog
  readonly stopwatch: Stopwatch
  /** How long an upload may take after its token was checked. */
  readonly maxUploadSeconds: number
}

export interface StorageFollowing extends HubFollower {
  readonly upToDate: UpToDate
  /** Comes back at once while the hub answers; refuses when it has not answered in time. */
  whenLinked(): Promise<Refusal | undefined>
  readonly hear: Hear
}

/** The longest that a storage token lives, and the leeway of the gate. */
const maxTokenSeconds = 24 * 3600 + 60

export async function startFollowing({
  log,
  stopwatch,
  maxUploadSeconds,
  ...options
}: FollowingOptions): Promise<StorageFollowing> {
  const { knownNumber } = await options.database.read(readLinkState)
  const { revocations } = options.link
  const tellLoss = logLoss(log)
  const following = {
    ...options,
    onAnswer(answer: HubChanges | UnknownCursor) {
      tellLoss(answer)
      // An entry may have taken tokens back: what was taken back is known sooner than by the next poll.
      if (answer.number > (revocations.latest()?.seq ?? 0)) void revocations.refresh()
    },
  }
  const follower = followHub({
    ...following,
    keepTombstonesSeconds: maxTokenSeconds + maxUploadSeconds,
    onHub: (hub, reason) =>
      hub === 'linked' ? log('hub_reached', {}) : log('hub_unreachable', { reason }),
    onUndelivered: (reason) => log('url_versions_undelivered', { reason }),
    onFailure: (error) => log('storage_failed', failureOf(error)),
  })
  const fresh = upToDate({ ask: askHub(following), revocations }, { stopwatch })
  return {
    ...follower,
    upToDate: fresh,
    async whenLinked() {
      const hub = follower.hub()
      if (hub === 'linked') return undefined
      const answer = hub === 'refuses' ? credentialRefused : await fresh()
      return isRefusal(answer) ? answer : undefined
    },
    hear: hearing({ ...options, knownNumber }),
  }
}

function logLoss(log: StorageLog): (answer: HubChanges | UnknownCursor) => void {
  return ({ kind, number }) => {
    if (kind === 'unknown cursor') log('removals_missed', { number, advice })
  }
}

const advice =
  'The hub does not have the journal that this storage followed: it was restored from a backup, or its journal was pruned. Nothing was removed here. Run "latchkey storage reconcile".'
