/** Repeats a change while others are in its way. */

import { setTimeout as delay } from 'node:timers/promises'

const pauseMs = 25

export async function repeatWhileBusy<Result>(
  attempt: () => Promise<Result>,
  { isBusy, mostMs }: { readonly isBusy: (error: unknown) => boolean; readonly mostMs: number },
): Promise<Result> {
  const giveUp = performance.now() + mostMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error
      await delay(pauseMs)
    }
  }
}
