/** `GET …/auth-check[/write]`: whether the caller may read, or write, the default branch. */

import { isRefusal, type RepoRef, type Scope } from '@latchkey/protocol'
import type { Handle } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'

export const authCheck: Handle<{
  readonly repo: RepoRef | undefined
  readonly scope: Scope
}> = async ({ hub }, { repo, scope }) => {
  const permitted = await hub.decide({ repo, revision: undefined, scope })
  return isRefusal(permitted) ? permitted : json({})
}
