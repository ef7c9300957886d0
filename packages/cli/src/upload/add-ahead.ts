/** Adds files to an upload: small ones several at once, so that no file waits for the answer about another. */

import type { Source } from './source.ts'

const mostFiles = 16
/** Files that are added at once mix their chunks; a large one keeps its own together, and goes alone. */
const mostBytes = 2 * 1024 * 1024

/** Gives the results in the order of the sources, in which they are begun too. */
export async function addAhead<Result>(
  sources: readonly Source[],
  add: (source: Source) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const running = new Set<Promise<unknown>>()
  let bytes = 0
  for (const source of sources) {
    const { size = mostBytes } = source
    while (running.size > 0 && (running.size === mostFiles || bytes + size > mostBytes)) {
      await Promise.race(running)
    }
    bytes += size
    const adding = add(source)
    results.push(adding)
    const done = adding.then(() => {
      bytes -= size
      running.delete(done)
    })
    running.add(done)
    // A failure is met where it is waited for.
    done.catch(() => {})
  }
  return Promise.all(results)
}
