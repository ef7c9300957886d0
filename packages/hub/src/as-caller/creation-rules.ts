/** Rules for repositories and refs that callers make; commands of the operator are not bound by them. */

import { isRefusal, type Refusal, type RepoRef, type Role, refuse } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import { ownRefRange } from '../permission/own-refs.ts'
import { countOf, sameName } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { Changing } from '../verbs/does.ts'
import { type Holding, roleInNamespace } from '../verbs/held-roles.ts'
import { createNamespace, findNamespace } from '../verbs/namespaces.ts'
import { refuseMoreRepositories } from '../verbs/repositories.ts'
import { findRepositoryRow } from '../verbs/repository-rows.ts'
import { setMember } from '../verbs/roles.ts'

export interface CreationRules {
  /** Whether every account may create repositories in a namespace of its own name, which is made with the first. */
  readonly ownNamespaces: boolean
  readonly repositoriesPerNamespace: number
  readonly refsPerRepository: number
}

export const usualCreationRules: CreationRules = {
  ownNamespaces: false,
  repositoriesPerNamespace: 10_000,
  refsPerRepository: 10_000,
}

type Named = Pick<Caller, 'accountId' | 'accountName'> & Pick<Holding, 'now'>

/** A namespace that is there, in whatever case, belongs to its members alone, also when it has the name of the account. */
export async function roleIn(
  tables: Reading,
  namespace: string,
  { accountId, accountName, now }: Named,
  { ownNamespaces }: CreationRules,
): Promise<Role | undefined> {
  if (ownNamespaces && namespace === accountName && !(await isThere(tables, namespace))) {
    return 'admin'
  }
  const found = await findNamespace(tables, namespace)
  return found && roleInNamespace(tables, found.id, { accountId, now })
}

async function isThere(tables: Reading, namespace: string): Promise<boolean> {
  const existing = await tables
    .selectFrom('namespaces')
    .select('id')
    .where(sameName(namespace))
    .executeTakeFirst()
  return existing !== undefined
}

/** To be called when the caller may create a repository in it. */
export async function makeOwnNamespace(
  work: Changing,
  namespace: string,
): Promise<Refusal | undefined> {
  const { actor, tables } = work
  if (actor?.accountName !== namespace || (await isThere(tables, namespace))) return undefined
  const made = await createNamespace(work, { name: namespace })
  if (isRefusal(made)) return made
  const member = await setMember(work, { namespace, account: actor.accountName, role: 'admin' })
  return isRefusal(member) ? member : undefined
}

export async function refuseManyRepositories(
  tables: Reading,
  namespace: string,
  most: number,
): Promise<Refusal | undefined> {
  const found = await findNamespace(tables, namespace)
  return found && refuseMoreRepositories(tables, found, most)
}

/** For a ref that is not there yet. Refs of the hub's own do not count: each account that proposes has some. */
export async function refuseManyRefs(
  tables: Reading,
  repo: RepoRef,
  most: number,
): Promise<Refusal | undefined> {
  const found = await findRepositoryRow(tables, repo)
  if (found === undefined) return undefined
  const [first, end] = ownRefRange
  const refs = tables
    .selectFrom('refs')
    .where('repository_uid', '=', found.uid)
    .where((row) => row.or([row('name', '<', first), row('name', '>=', end)]))
  if ((await countOf(refs)) < most) return undefined
  const detail = `The repository has ${most} refs, which is as many as it may have. Delete some first.`
  return refuse('quota_exceeded', detail)
}
