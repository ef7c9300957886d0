/** A hub whose documents the test can replace, and a gate's view of it under clocks moved by hand. */

import { type EntryKeeper, hubRevocations, type RevocationSource } from '@latchkey/gate/hub-link'
import { type Jwks, readKeySet } from '@latchkey/token'
import { type MovedStopwatch, movedStopwatch } from '../moved-stopwatch.ts'
import { type PublishedRevocations, publishedRevocations } from './published-revocations.ts'
import { issuer, type MovedClock, movedClock } from './storage-tokens.ts'

/** What comes over the wire; a test that replaces one is the attacker, the cache or the broken hub. */
export interface Documents {
  head(): string
  keys(): Jwks
  list(hash: string): Uint8Array
}

export interface FollowedHub {
  readonly hub: PublishedRevocations
  readonly wire: Documents
  readonly source: RevocationSource
  readonly clock: MovedClock
  readonly stopwatch: MovedStopwatch
  /** Moves both clocks. */
  pass(seconds: number): void
  readonly failures: string[]
  /** The documents that were asked for, in order. */
  readonly asked: string[]
}

interface FollowOptions {
  readonly keeper?: EntryKeeper
  /** Followed by another source too. */
  readonly hub?: PublishedRevocations
}

export function followHub({ keeper, hub: given }: FollowOptions = {}): FollowedHub {
  const [clock, stopwatch] = [movedClock(), movedStopwatch()]
  const hub = given ?? publishedRevocations(clock.now)
  const failures: string[] = []
  const asked: string[] = []
  const wire: Documents = {
    head: () => hub.head(),
    keys: () => hub.keys(),
    list: (hash) => hub.list(hash) ?? away(),
  }
  const source = hubRevocations({
    documents: {
      async head() {
        asked.push('head')
        return wire.head()
      },
      async keys() {
        asked.push('keys')
        return readKeySet(wire.keys())
      },
      async list(hash) {
        asked.push('list')
        return wire.list(hash)
      },
    },
    issuer,
    clock: clock.now,
    stopwatch: stopwatch.now,
    onFailure: (error) => failures.push(String(error)),
    keeper,
  })
  let passed = 0
  const pass = (seconds: number) => {
    // The clock has whole seconds.
    clock.pass(Math.floor(passed + seconds) - Math.floor(passed))
    stopwatch.pass(seconds)
    passed += seconds
  }
  return { hub, wire, source, clock, stopwatch, pass, failures, asked }
}

/** Has heard from the hub once. */
export async function heardFromHub(): Promise<FollowedHub> {
  const followed = followHub()
  await followed.source.refresh()
  return followed
}

export function away(): never {
  throw new Error('the hub is away')
}

export function stateOf({ source }: FollowedHub): string {
  return source.latest()?.state() ?? 'none'
}
