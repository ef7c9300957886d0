/** Follows the hub in the background: removals reach readers, and the hub learns what was collected. */

import { setTimeout as delay } from 'node:timers/promises'
import { CredentialError, HubLinkError } from '@latchkey/gate/hub-link'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { readLinkState } from '../catalog/link-state.ts'
import { forgetTombstones, sweepPlaces } from '../catalog/removed-places.ts'
import { askOnce, type Following } from './ask-hub.ts'
import { deliverEpochs } from './deliver-epochs.ts'

export interface FollowingHub extends Following {
  /** A tombstone is needed for as long as a token for its place can be used. */
  readonly keepTombstonesSeconds: number
  /** Told when the hub could be asked, and when not any more. */
  readonly onHub?: (hub: HubSeen, reason?: string) => void
  /** Told why the hub, which answers, does not take the epochs. */
  readonly onUndelivered?: (reason: string) => void
  /** Told why a round failed for another reason than the link. */
  readonly onFailure?: (error: unknown) => void
}

/** How the storage has found its hub last. It is away until it has answered. */
export type HubSeen = 'linked' | 'away' | 'refuses'

export interface HubFollower {
  hub(): HubSeen
  stop(): Promise<void>
}

/** The hub answers sooner when its journal grows. */
const waitSeconds = 25

/** After the hub could not be asked. */
const pauseMs = 500

/** After it has refused the credential: an operator has to change that first. */
const refusedPauseMs = 15_000

export function followHub(following: FollowingHub): HubFollower {
  const stopping = new AbortController()
  const { signal } = stopping
  let hub: HubSeen | undefined
  let lastReason: string | undefined
  // Told again when the reason is another one.
  const tell = (now: HubSeen, reason?: string) => {
    const isNews = now !== hub || reason !== lastReason
    if (isNews && !signal.aborted) following.onHub?.(now, reason)
    hub = now
    lastReason = reason
  }
  const sweeper = inBackground(following, signal)
  const deliver = delivering(following)
  const follow = async () => {
    while (!signal.aborted) {
      try {
        // The first answer must not wait for an entry: until it is there, the storage does not know that the hub is.
        await askOnce(following, { signal, waitSeconds: hub === 'linked' ? waitSeconds : 0 })
        tell('linked')
        sweeper.sweep()
        await deliver()
      } catch (error) {
        const isRefused = error instanceof CredentialError
        if (error instanceof HubLinkError) tell(isRefused ? 'refuses' : 'away', error.message)
        else if (!signal.aborted) following.onFailure?.(error)
        const untilNext = isRefused ? refusedPauseMs : pauseMs
        await delay(untilNext, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
  const followed = follow()
  return {
    hub: () => hub ?? 'away',
    async stop() {
      stopping.abort()
      await followed
      await sweeper.done()
    },
  }
}

/**
 * A hub that answers and does not take the epochs, as on a full disk, is not away: it is asked again after the next wait. A
 * hub that does not know the journal which the storage followed may be another hub: it is told nothing.
 */
function delivering({ database, link, onUndelivered }: FollowingHub): () => Promise<void> {
  let lastMessage: string | undefined
  return async () => {
    const { lostAt } = await database.read(readLinkState)
    if (lostAt !== undefined) return
    try {
      await deliverEpochs(database, link)
      lastMessage = undefined
    } catch (error) {
      if (!(error instanceof HubLinkError)) throw error
      if (error.message !== lastMessage) onUndelivered?.(error.message)
      lastMessage = error.message
    }
  }
}

/** A repository with many rows is swept beside the following, one round after the other. */
function inBackground(following: FollowingHub, signal: AbortSignal) {
  let sweeping: Promise<void> | undefined
  let isDue = false
  const round = async () => {
    try {
      await sweepPlaces(following.database, () => signal.aborted)
      await following.database.change((tables) => forgetTombstones(tables, oldest(following)))
    } catch (error) {
      following.onFailure?.(error)
    }
  }
  const rounds = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      await round()
    }
    sweeping = undefined
  }
  return {
    sweep() {
      // A round that is under way may have looked before the last removal.
      isDue = true
      sweeping ??= rounds()
    },
    done: async () => sweeping,
  }
}

function oldest({ clock, keepTombstonesSeconds }: FollowingHub): UnixSeconds {
  return unixSeconds(clock() - keepTombstonesSeconds)
}
