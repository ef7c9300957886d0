/** Lets the rest of the hub answer while a large file is applied: the database call itself never waits. */

import { setImmediate } from 'node:timers/promises'

const entriesPerBreath = 50

export async function breathe(index = 0): Promise<void> {
  if (index % entriesPerBreath === 0) await setImmediate()
}
