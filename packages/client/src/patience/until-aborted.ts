/** One caller's patience with work that others share: the caller may leave, the work goes on. */

export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    const stay = () => signal.removeEventListener('abort', leave)
    work.then(resolve, reject).finally(stay)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}
