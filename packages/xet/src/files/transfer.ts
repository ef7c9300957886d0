/** A transfer under way: the caller's signal, or its own end, aborts all of its requests. */

import { LatchkeyError } from '@latchkey/client'
import { type OptionType, type OptionTypes, optionFault } from '@latchkey/protocol'

export interface TransferOptions {
  /** How many bytes of the file are where they belong, and how many there are; undefined for a stream. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void
  readonly signal?: AbortSignal | undefined
}

export const transferTypes: OptionTypes<TransferOptions> = {
  onProgress: 'function',
  signal: 'object',
}

/** `of` is the function that takes the options. */
export function checkOptions(
  of: string,
  value: unknown,
  types: Readonly<Record<string, OptionType>> = transferTypes,
): void {
  const fault = optionFault(of, value, types)
  if (fault !== undefined) throw new LatchkeyError('bad_option', fault)
}

export interface Transfer {
  /** For every request of the transfer. */
  readonly signal: AbortSignal
  /** Gives what the work gives, or fails with the reason of the caller's signal as soon as that is aborted. */
  wait<Result>(work: Promise<Result>): Promise<Result>
  /** Aborts all requests that are still under way. */
  end(): void
}

export function beginTransfer(abortSignal: AbortSignal | undefined): Transfer {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort(abortSignal?.reason)
  if (abortSignal?.aborted) abort()
  abortSignal?.addEventListener('abort', abort, { once: true, signal })
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
