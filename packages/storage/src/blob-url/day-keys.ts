/** The keys that sign blob URLs: each day another one, derived from one root. */

import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Clock } from '@latchkey/protocol'
import type { RootKey } from './root-key.ts'

/** Can be copied to a thread, and is not printed. */
export interface DayKey {
  /** Days since the beginning of 1970. */
  readonly day: number
  readonly key: KeyObject
}

export interface DayKeys {
  /** Signs today. */
  today(): DayKey
  /** The key of today or yesterday; undefined for every other day, whose URLs have expired. */
  of(day: number): KeyObject | undefined
  /** Comes back when both know a replacement of two seconds ago. */
  readonly freshen: RootKey['freshen']
}

const daySeconds = 24 * 3600

/** A root that was replaced is another object: everything that was derived from the old one is then forgotten. */
export function dayKeys(rootKey: RootKey, clock: Clock): DayKeys {
  let lastDay: { readonly root: KeyObject; readonly today: number } | undefined
  let keys = new Map<number, KeyObject>()
  const current = () => {
    const now = { root: rootKey.current(), today: Math.floor(clock() / daySeconds) }
    if (now.root !== lastDay?.root || now.today !== lastDay.today) {
      lastDay = now
      keys = new Map([now.today, now.today - 1].map((day) => [day, derive(now.root, day)]))
    }
    return now.today
  }
  const of = (day: number) => {
    current()
    return keys.get(day)
  }
  return {
    of,
    freshen: rootKey.freshen,
    today() {
      const day = current()
      const key = keys.get(day)
      if (key === undefined) throw new Error('there is no key for today')
      return { day, key }
    },
  }
}

function derive(root: KeyObject, day: number): KeyObject {
  const derived = hkdfSync('sha256', root, '', `latchkey blob urls of day ${day}`, 32)
  return createSecretKey(Buffer.from(derived))
}
