/** What rotating keys needs beside the rows: how long things live here, and how a key is made. */

import type { Schedule } from './due-step.ts'
import type { MakeKey } from './make-key.ts'
import { lifetimesOf } from './waits.ts'

export interface KeyWork
  extends Pick<Schedule, 'rotationSeconds' | 'lifetimes' | 'firstAlgorithm'> {
  readonly makeKey: MakeKey
}

/** The settings of a hub that bear on its keys. */
export interface KeySettings {
  readonly token: {
    readonly algorithm: Schedule['firstAlgorithm']
    readonly lifetimeSeconds: number
  }
  readonly keys: { readonly rotationDays: number }
}

const secondsPerDay = 86_400

export function keyWorkOf({ token, keys }: KeySettings, makeKey: MakeKey): KeyWork {
  return {
    makeKey,
    rotationSeconds: keys.rotationDays * secondsPerDay,
    lifetimes: lifetimesOf(token.lifetimeSeconds),
    firstAlgorithm: token.algorithm,
  }
}
