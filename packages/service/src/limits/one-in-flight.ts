/** Callers that come at the same time share a run. */

/**
 * One run at a time, and one that is queued behind it. A run serves only callers that were there before it began, so what
 * it finds out is never older than the call.
 */
export function oneInFlight<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | undefined
  let queued: Promise<Result> | undefined
  const begin = () => {
    const running = run().finally(() => {
      inFlight = undefined
    })
    inFlight = running
    return running
  }
  return () => {
    // Between the end of a run and the begin of the queued one there is none in flight.
    if (queued !== undefined) return queued
    if (inFlight === undefined) return begin()
    queued = inFlight.then(ignore, ignore).then(() => {
      queued = undefined
      return begin()
    })
    return queued
  }
}

function ignore(): void {}
