/** The answer to a question, as PostgreSQL writes it in JSON: the caller and the repository. */

import type { AccountId } from '@latchkey/protocol'
import type {
  CallerRecord,
  FixedRefRecord,
  FoundRepository,
  MovingRefRecord,
  RepositoryRecord,
  StoreAnswer,
} from '../../access/access-store.ts'

export interface Found extends StoreAnswer {
  /** With a caller, the account that looked. */
  readonly viewer?: FoundAnswer['viewer']
}

interface FoundAnswer {
  readonly caller: CallerInJson | null
  /** The account that looked; null for nobody in particular. */
  readonly viewer: AccountId | null
  /** Null where no repository was asked for. */
  readonly isThere: boolean | null
  /** Null where the account may not see it, too. */
  readonly repository: RepositoryInJson | null
}

type Optional = 'verbGroups' | 'expiresAt' | 'revokedAt'

type CallerInJson = Omit<CallerRecord, Optional> & {
  readonly [Name in Optional]: Exclude<CallerRecord[Name], undefined> | null
}

interface RepositoryInJson extends Omit<RepositoryRecord, 'fixed' | 'moving'> {
  readonly fixed: FixedRefRecord | null
  readonly moving: MovingRefRecord | null
}

export function foundIn(answer: FoundAnswer): Found {
  const { caller, viewer } = answer
  const repository = repositoryIn(answer)
  return caller === null
    ? { caller: undefined, repository }
    : { caller: callerIn(caller), viewer, repository }
}

function callerIn(caller: CallerInJson): CallerRecord {
  const { verbGroups, expiresAt, revokedAt, ...always } = caller
  return {
    ...always,
    ...(verbGroups !== null && { verbGroups }),
    ...(expiresAt !== null && { expiresAt }),
    ...(revokedAt !== null && { revokedAt }),
  }
}

function repositoryIn({ repository, isThere }: FoundAnswer): FoundRepository {
  if (repository === null) return isThere === true ? 'hidden' : 'absent'
  const { fixed, moving } = repository
  return { ...repository, fixed: fixed ?? undefined, moving: moving ?? undefined }
}
