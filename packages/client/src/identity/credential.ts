/** The hub token: given once, or asked for and asked for again when the hub no longer takes it. */

import { isBearerToken, Secret, shareRunning } from '@latchkey/protocol'
import { badOption } from '../error/latchkey-error.ts'

type HubToken = string | Secret<'hub-token'>

export type HubTokenSource = HubToken | (() => HubToken | Promise<HubToken>)

export interface HubTokenInUse {
  readonly token: Secret<'hub-token'> | undefined
  /** Another number for another token: what was got with one is not used with the next. */
  readonly identity: number
  /** Whether it was asked for just now, so that asking again would bring nothing better. */
  readonly isNew: boolean
}

export interface Credential {
  identity(): number
  get(): Promise<HubTokenInUse>
  /** Says that the hub did not take it. */
  reject(tokenInUse: HubTokenInUse): void
}

export function credentialOf(source: HubTokenSource | undefined): Credential {
  const isAsked = typeof source === 'function'
  let token = isAsked || source === undefined ? undefined : checked(source)
  let text: string | undefined
  let identity = 0

  const ask = shareRunning(async (): Promise<HubTokenInUse> => {
    token = checked(isAsked ? await source() : '')
    if (token.reveal() !== text) identity += 1
    text = token.reveal()
    return { token, identity, isNew: true }
  })
  return {
    identity: () => identity,
    get: async () =>
      isAsked && token === undefined ? ask() : { token, identity, isNew: !isAsked },
    reject(tokenInUse) {
      if (isAsked && tokenInUse.identity === identity) token = undefined
    },
  }
}

/** Held against the grammar here, because the platform's own error would repeat the value. */
function checked(hubToken: HubToken): Secret<'hub-token'> {
  const token = typeof hubToken === 'string' ? new Secret('hub-token', hubToken) : hubToken
  const isHubToken = token instanceof Secret && token.kind === 'hub-token'
  if (isHubToken && isBearerToken(token.reveal())) return token
  throw badOption('hubToken', 'give it alone, without spaces or line ends')
}
