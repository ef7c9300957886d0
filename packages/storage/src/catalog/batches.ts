/** Cuts long lists, so that no statement keeps others waiting. */

import { yieldToEventLoop } from '@latchkey/service/limits/slices'

const maxPerStatement = 250

export function* inBatches<Item>(
  items: readonly Item[],
  most = maxPerStatement,
): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most)
}

/** SQLite answers synchronously, so other requests are served between two batches. */
export async function* yieldingBatches<Item>(
  items: readonly Item[],
): AsyncGenerator<readonly Item[]> {
  let isFirst = true
  for (const some of inBatches(items)) {
    if (!isFirst) await yieldToEventLoop()
    isFirst = false
    yield some
  }
}
