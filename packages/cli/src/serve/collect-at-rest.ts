/** Gives memory back when a hub is at rest after load: V8 keeps all that it grew to, for as long as nothing more is allocated. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemTimers, type Timers } from '@latchkey/service/machine/time'

export interface Resting {
  /** Processor time of the process so far. */
  readonly cpuMs: () => number
  readonly collect: () => void
  readonly timers: Pick<Timers, 'after'>
}

export const lookMs = 5000
/** A hundredth of a core: less is rest. */
export const restingCpuMs = lookMs / 100
/** Less work than this leaves little garbage. A start takes less, too. */
export const worthwhileCpuMs = 1000

/** Under load nothing changes: the space for new objects that V8 has grown to saves it collections. */
export function collectAtRest({ cpuMs, collect, timers }: Resting = ofThisProcess): void {
  let collected = cpuMs()
  let last = collected
  const look = () => {
    const used = cpuMs()
    const isAtRest = used - last < restingCpuMs
    if (isAtRest && used - collected >= worthwhileCpuMs) {
      collect()
      collected = cpuMs()
    }
    last = cpuMs()
    timers.after(lookMs, look)
  }
  timers.after(lookMs, look)
}

const ofThisProcess: Resting = {
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  collect: collectGarbage,
  timers: systemTimers,
}

/** V8 hands its collector to contexts that are made while the flag is set. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect()
}
