/** What every log line about the same token request says. */

import { formatRepoRef, formatRevision, type TokenPath } from '@latchkey/protocol'
import { type LogMembers, logMembers, shorten } from '@latchkey/service/observe/log'
import type { LoggedCaller } from './authenticate.ts'

export function loggedRequest(path: TokenPath, caller: LoggedCaller | undefined): LogMembers {
  return logMembers({
    subject: caller?.accountId,
    account: caller?.accountName,
    hubToken: caller?.hubTokenId,
    repository: path.repo === undefined ? undefined : formatRepoRef(path.repo),
    ref: shorten(formatRevision(path.revision)),
    scope: path.scope,
  })
}
