/** A transfer under way: it ends with the caller's signal, or when it is over, and takes all its requests along. */

export interface TransferOptions {
  /** How many bytes of the file are where they belong, and how many there are; undefined where nobody knows. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void
  readonly signal?: AbortSignal | undefined
}

export interface Transfer {
  /** Of everything that the transfer asks for. */
  readonly signal: AbortSignal
  /** Gives what the work gives, or fails with the reason of the caller's signal as soon as that is aborted. */
  wait<Result>(work: Promise<Result>): Promise<Result>
  /** Nothing is asked for any more. */
  end(): void
}

export function beginTransfer(given: AbortSignal | undefined): Transfer {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort(given?.reason)
  if (given?.aborted) abort()
  given?.addEventListener('abort', abort, { once: true, signal })
  return {
    signal,
    wait: (work) =>
      new Promise((resolve, reject) => {
        const leave = () => reject(signal.reason)
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
        if (signal.aborted) leave()
        else signal.addEventListener('abort', leave, { once: true })
      }),
    end: () => controller.abort(),
  }
}
