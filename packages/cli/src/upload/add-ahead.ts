/** Adds files to an upload: small ones several at once, so that no file waits for the answer about another. */

import type { Source } from './source.ts'

const mostAtOnce = 16
/** A larger file goes alone: its chunks stay together in their xorbs. */
const smallBytes = 1024 * 1024

/** Gives the results in the order of the sources. */
export async function addAhead<Result>(
  sources: readonly Source[],
  add: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const running = new Set<Promise<unknown>>()
  for (const source of sources) {
    const isSmall = (source.size ?? Number.POSITIVE_INFINITY) <= smallBytes
    while (running.size >= (isSmall ? mostAtOnce : 1)) await Promise.race(running)
    const adding = add(source)
    results.push(adding)
    const done = adding.then(() => void running.delete(done))
    running.add(done)
    // A failure is met where results are awaited.
    done.catch(() => {})
    if (!isSmall) await done
  }
  return Promise.all(results)
}
