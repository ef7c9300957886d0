/** Compares inside each transaction which server answers. */

import type { ServerGuard } from '@latchkey/service/postgres'
import type { FollowedHead } from './follow-head.ts'
import { ofWhom, oneHead } from './server-name.ts'

/** Which server answered, and the journal's last number there. */
export interface AnsweredBy {
  readonly head_number: number
  readonly is_replica: 0 | 1
  readonly server: string
}

/** The answers are of the server that was compared, and have every change that this hub knew of when it asked. */
export function comparedServer(
  head: Pick<FollowedHead, 'compared' | 'lookAnew'>,
  schema: string,
): ServerGuard {
  const question = `SELECT ${ofWhom('head')} FROM ${oneHead(schema)}`
  return {
    expect() {
      const { number, server } = head.compared()
      return {
        question,
        isServer(row) {
          // The columns of `ofWhom`.
          const { head_number, is_replica, server: found } = (row ?? {}) as Partial<AnsweredBy>
          return found === server && is_replica === 0 && Number(head_number) >= number
        },
      }
    },
    meet: head.lookAnew,
  }
}
