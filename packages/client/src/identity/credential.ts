/** The hub token: given once, or asked for and asked for again when the hub no longer takes it. */

import { readBearer, Secret } from '@latchkey/protocol'
import { badOption } from '../error/latchkey-error.ts'

type HubToken = string | Secret<'hub-token'>

export type HubTokenSource = HubToken | (() => HubToken | Promise<HubToken>)

export interface Known {
  readonly token: Secret<'hub-token'> | undefined
  /** Another number for another token: what was got with one is not used with the next. */
  readonly identity: number
  /** Whether it was asked for just now, so that asking again would bring nothing better. */
  readonly isNew: boolean
}

export interface Credential {
  identity(): number
  get(): Promise<Known>
  /** Says that the hub did not take it. */
  reject(known: Known): void
}

export function credentialOf(source: HubTokenSource | undefined): Credential {
  if (typeof source !== 'function') return fixed(source)
  let token: Secret<'hub-token'> | undefined
  let text: string | undefined
  let identity = 0
  let asking: Promise<Known> | undefined

  const ask = async (): Promise<Known> => {
    const asked = checked(await source())
    const newText = asked.reveal()
    if (newText !== text) identity += 1
    text = newText
    token = asked
    return { token, identity, isNew: true }
  }
  return {
    identity: () => identity,
    get() {
      if (token !== undefined) return Promise.resolve({ token, identity, isNew: false })
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    reject(known) {
      if (known.identity === identity) token = undefined
    },
  }
}

function fixed(source: HubToken | undefined): Credential {
  const token = source === undefined ? undefined : checked(source)
  const known: Known = { token, identity: 0, isNew: true }
  return { identity: () => 0, get: () => Promise.resolve(known), reject() {} }
}

/** Held against the grammar here, because the platform's own error would repeat the value. */
function checked(given: HubToken): Secret<'hub-token'> {
  const token = typeof given === 'string' ? new Secret('hub-token', given) : given
  if (token instanceof Secret && typeof readBearer([`Bearer ${token.reveal()}`]) === 'object') {
    return token
  }
  throw badOption('hubToken', 'give a hub token alone, without spaces or line ends')
}
