/** `--retry-timeout`: for how long a transfer repeats what fails for the moment. */

import type { Command } from 'commander'
import { numberFlag } from '../configuration/flags.ts'
import { wholeNumber } from '../configuration/kind.ts'

export const defaultRetryTimeoutSeconds = 60

const flag = '--retry-timeout'

export function addRetryTimeout(command: Command): Command {
  return command.option(
    `${flag} <seconds>`,
    `While the hub or the storage is unavailable (503, 429, a broken connection), retry for this long, as Retry-After asks. Default: ${defaultRetryTimeoutSeconds}.`,
    numberFlag(flag, wholeNumber(0, 86_400)),
  )
}

export function retryTimeoutFrom(flags: Readonly<Record<string, unknown>>): number {
  const { retryTimeout } = flags
  return typeof retryTimeout === 'number' ? retryTimeout : defaultRetryTimeoutSeconds
}
