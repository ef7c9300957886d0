/** Lets everything else of the machine go before a thread. */

import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** About a tenth of the processor time of a thread with the usual priority, when both want all of it. */
export const threadNiceness = 10

/** Only Linux has priorities of single threads; elsewhere nothing happens. */
export function lowerOwnPriority(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (getPriority(thread) < threadNiceness) setPriority(thread, threadNiceness)
  } catch {
    // Without /proc, or where it is forbidden, the work is done with the usual priority.
  }
}
