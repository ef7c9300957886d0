/** The row of a question: the server that answered, the caller and the repository. */

import type { AccountId, HubTokenId } from '@latchkey/protocol'
import type { CallerRecord } from '../../access/access-store.ts'
import { type CallerRow, callerOf } from '../caller-row.ts'
import type { RepositoryRow } from '../found-repository.ts'

/** Which server answered, and the journal's last number there: only in the first row of an answer. */
export interface AnsweredBy {
  readonly head_number: number
  readonly is_replica: 0 | 1
  readonly server: string
}

/** Without a hub token, nothing of its account means anything. */
export interface FoundRow extends AnsweredBy, RepositoryRow, Omit<CallerRow, 'hub_token_id'> {
  readonly hub_token_id: HubTokenId | null
  /** The account that looked; null for nobody in particular. */
  readonly viewer: AccountId | null
}

export function callerIn(row: FoundRow): CallerRecord | undefined {
  return hasCaller(row) ? callerOf(row) : undefined
}

function hasCaller(row: FoundRow): row is FoundRow & CallerRow {
  return row.hub_token_id !== null
}
