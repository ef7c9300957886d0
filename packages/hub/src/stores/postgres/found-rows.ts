/** The row of a question as the access room reads it. */

import type {
  AccountId,
  CommitHash,
  HubTokenId,
  RefName,
  RefUid,
  RepositoryUid,
  Role,
} from '@latchkey/protocol'
import type {
  CallerRecord,
  FixedRefRecord,
  FoundRepository,
  MovingRefRecord,
} from '../../access/access-store.ts'
import { type CallerRow, callerOf } from '../caller-row.ts'

/** Which server answered, and the journal's last number there. */
export interface AnsweredBy {
  readonly head_number: number
  readonly is_replica: 0 | 1
  readonly server: string
}

/** Without a hub token, nothing of its account means anything. */
export interface FoundRow extends AnsweredBy, Omit<CallerRow, 'hub_token_id'> {
  readonly hub_token_id: HubTokenId | null
  /** The account that looked; null for nobody in particular. */
  readonly viewer: AccountId | null
  readonly is_there: 0 | 1 | null
  readonly uid: RepositoryUid | null
  readonly epoch: number
  readonly visibility: 'public' | 'private'
  readonly default_branch: RefName
  readonly ref_rules: string
  readonly member_role: Role | null
  readonly collaborator_role: Role | null
  readonly fixed_uid: RefUid | null
  readonly fixed_name: RefName | CommitHash
  readonly fixed_commit: CommitHash
  readonly holders: string | null
  readonly past_holders: string | null
  readonly fixed_forks: string | null
  readonly moving_uid: RefUid | null
  readonly moving_name: RefName
  readonly moving_commit: CommitHash
  readonly moving_forks: string | null
}

export function callerIn(row: FoundRow): CallerRecord | undefined {
  return hasCaller(row) ? callerOf(row) : undefined
}

function hasCaller(row: FoundRow): row is FoundRow & CallerRow {
  return row.hub_token_id !== null
}

export function repositoryIn(row: FoundRow): FoundRepository {
  if (row.uid === null) return row.is_there === 1 ? 'hidden' : 'absent'
  return {
    uid: row.uid,
    epoch: row.epoch,
    visibility: row.visibility,
    defaultBranch: row.default_branch,
    refRules: listIn(row.ref_rules),
    memberRole: row.member_role,
    collaboratorRole: row.collaborator_role,
    fixed: fixedIn(row),
    moving: movingIn(row),
  }
}

function fixedIn(row: FoundRow): FixedRefRecord | undefined {
  if (row.fixed_uid === null) return undefined
  return {
    uid: row.fixed_uid,
    name: row.fixed_name,
    commit: row.fixed_commit,
    holders: listIn(row.holders),
    pastHolders: listIn(row.past_holders),
    forks: listIn(row.fixed_forks),
  }
}

function movingIn(row: FoundRow): MovingRefRecord | undefined {
  if (row.moving_uid === null) return undefined
  const { moving_uid: uid, moving_name: name, moving_commit: commit } = row
  return { uid, name, commit, forks: listIn(row.moving_forks) }
}

/** Nothing aggregated is null. */
function listIn<Item>(json: string | null): readonly Item[] {
  return json === null || json === '[]' ? none : JSON.parse(json)
}

/** One for all, because caches keep tens of thousands of them. */
const none: readonly never[] = []
