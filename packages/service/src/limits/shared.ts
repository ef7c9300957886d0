/** Callers that come while something is under way get what comes of it. */

export function shared<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
