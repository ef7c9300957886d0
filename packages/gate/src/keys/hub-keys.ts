/** The hub's keys: held while it is away, and fetched again in the background. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { keptKeys } from '@latchkey/service/http/kept-keys'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { KeySet } from '@latchkey/token'
import type { KeySource } from './key-source.ts'

export {
  cooldownSeconds,
  freshSeconds,
  maxStaleSeconds,
  unknownKeySeconds,
} from '@latchkey/service/http/kept-keys'

export interface HubKeysOptions {
  readonly fetchKeys: () => Promise<KeySet>
  /** In Unix seconds. */
  readonly clock: () => number
  /** Told why the keys could not be fetched. */
  readonly onFailure?: (error: unknown) => void
  /**
   * Waits in real time, whatever the clock says.
   *
   * @default a timer
   */
  readonly wait?: (seconds: number) => Promise<void>
}

const types: OptionTypes<HubKeysOptions> = {
  fetchKeys: 'function',
  clock: 'function',
  onFailure: 'function',
  wait: 'function',
}

export function hubKeys(options: HubKeysOptions): KeySource {
  refuseOptions('hubKeys', options, types, CannotStart)
  return keptKeys({ onFailure: () => {}, ...options })
}
