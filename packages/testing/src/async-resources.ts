/** What a piece of work makes to be waited for: promises, timers, ticks. */

import { createHook } from 'node:async_hooks'

/** The kinds of what Node counts as asynchronous, in the order in which they were made. */
export function asyncResourcesOf(work: () => void): readonly string[] {
  const kinds: string[] = []
  const hook = createHook({ init: (_id, kind) => void kinds.push(kind) }).enable()
  work()
  hook.disable()
  return kinds
}
