/** Whose hub token it is, as the hub tells who asks with it. */

import { isRefusal } from '@latchkey/protocol'
import type { Login } from '../credentials/find-login.ts'
import { askAdmin, noHub } from '../management/remote.ts'
import { type Members, membersOf, textsOf } from '../reading/members-of.ts'
import { stopForFailure } from './failure-line.ts'

/** More may be told than is named here. */
export interface Who {
  readonly account: Members & {
    readonly name: string
    readonly kind: string
    readonly administrator: boolean
  }
  readonly hubToken: Members &
    Readonly<Record<'id' | 'name' | 'kind' | 'hint', string>> & {
      readonly expiresAt?: string
    }
}

/** For people: there is more of the hub token before and after. */
export function hintOf({ hint }: Who['hubToken']): string {
  return `…${hint}…`
}

export async function askWho(login: Login): Promise<Who> {
  const response = await askAdmin(login, 'whoami')
  if (isRefusal(response)) {
    throw stopForFailure({ code: response.code, message: response.detail }, { login })
  }
  const { account, hubToken } = membersOf(response)
  if (isAccount(account) && isHubToken(hubToken)) return { account, hubToken }
  throw noHub(login)
}

function isAccount(value: unknown): value is Who['account'] {
  const { name, kind, administrator } = membersOf(value)
  return textsOf([name, kind]) !== undefined && typeof administrator === 'boolean'
}

function isHubToken(value: unknown): value is Who['hubToken'] {
  const { id, name, kind, hint, expiresAt = '' } = membersOf(value)
  return textsOf([id, name, kind, hint, expiresAt]) !== undefined
}
