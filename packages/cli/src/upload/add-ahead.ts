/** Adds files to an upload, several at once: the storage is asked about all of them, and no file waits for the answer about another. */

import type { Source } from './source.ts'

/** Each that waits takes up to 3 MiB of memory. */
const mostAtOnce = 16

/** Gives the results in the order of the sources, in which they are begun too. */
export async function addAhead<Result>(
  sources: readonly Source[],
  add: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const running = new Set<Promise<unknown>>()
  for (const source of sources) {
    if (running.size === mostAtOnce) await Promise.race(running)
    const adding = add(source)
    results.push(adding)
    const done: Promise<unknown> = adding.then(() => running.delete(done))
    running.add(done)
    // A failure is met where it is waited for.
    done.catch(() => {})
  }
  return Promise.all(results)
}
