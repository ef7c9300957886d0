import {
  formatRepoRef,
  type Refusal,
  type RepoRef,
  type Role,
  refuse,
  roleCovers,
} from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { Permit } from './permit.ts'
import { carriedBy, carriesEveryRef } from './reach.ts'

export interface Creating {
  readonly caller: Caller
  readonly repo: RepoRef
  /** In the namespace; undefined where there is no such namespace, too. */
  readonly role: Role | undefined
}

/** Undefined for yes. A namespace that does not exist and one without a role for the caller are refused alike. */
export function refuseCreation({ caller, repo, role }: Creating): Refusal | undefined {
  return (
    missingToken(caller, repo) ??
    (roleCovers(role, 'write')
      ? undefined
      : lacking('create', `the role write in the namespace ${repo.namespace}`))
  )
}

/** Only a caller who may read the repository is told what is missing, so a permit to read comes first. */
export function refuseDeletion(
  { permitted: { caller, repo } }: Permit,
  role: Role | undefined,
): Refusal | undefined {
  return (
    missingToken(caller, repo) ??
    // Ref rules may keep a ref for this role, and the ref goes with the repository.
    (roleCovers(role, 'admin')
      ? undefined
      : lacking('delete', `the role admin for ${formatRepoRef(repo)}`))
  )
}

function missingToken(caller: Caller, repo: RepoRef): Refusal | undefined {
  if (carriesEveryRef(carriedBy(caller, repo), 'write')) return undefined
  const what = `a hub token that may write every ref of ${formatRepoRef(repo)}`
  return lacking('create or delete', what)
}

function lacking(what: string, missing: string): Refusal {
  const detail = `This hub token may not ${what} this repository: this needs ${missing}.`
  return refuse('permission_denied', detail, { missing })
}
