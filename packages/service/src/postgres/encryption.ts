/** Whether the next connection is encrypted, where `sslmode` leaves it to the server. */

import { stateOf } from './postgres-error.ts'
import type { TlsMode } from './tls-settings.ts'

export interface Encryption {
  isOn(): boolean
  /** True if the other way is worth a try, which is then taken from now on. */
  changesAfter(error: unknown, triedEncrypted: boolean): boolean
}

export function encryption(mode: TlsMode): Encryption {
  let isOn = mode !== 'disable' && mode !== 'allow'
  return {
    isOn: () => isOn,
    changesAfter(error, triedEncrypted) {
      const next = otherWay(mode, error, triedEncrypted)
      if (next === undefined) return false
      isOn = next
      return true
    },
  }
}

function otherWay(mode: TlsMode, error: unknown, triedEncrypted: boolean): boolean | undefined {
  // `prefer` gives encryption up only where the server has none: not after a failed handshake.
  if (mode === 'prefer' && triedEncrypted && isWithoutTls(error)) return false
  if (mode === 'allow' && !triedEncrypted && stateOf(error) === '28000') return true
  return undefined
}

function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && /does not support SSL/.test(error.message)
}
