/** The namespace of an account's own name: made with the account's first repository, where the operator allows it. */

import { type AccountId, isRefusal, type Refusal, type Role } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import { sameName } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { Changing } from '../verbs/does.ts'
import { createNamespace, findNamespace } from '../verbs/namespaces.ts'
import { setMember } from '../verbs/roles.ts'
import type { ForgeRules } from './forge-rules.ts'

type Named = Pick<Caller, 'accountId' | 'accountName'>

/** A namespace that is there, in whatever case, belongs to its members alone, also when it has the name of the account. */
export async function roleIn(
  tables: Reading,
  namespace: string,
  { accountId, accountName }: Named,
  { ownNamespaces }: ForgeRules,
): Promise<Role | undefined> {
  if (ownNamespaces && namespace === accountName && !(await isThere(tables, namespace))) {
    return 'admin'
  }
  const found = await findNamespace(tables, namespace)
  return found && memberRole(tables, found.id, accountId)
}

async function memberRole(tables: Reading, namespaceId: string, accountId: AccountId) {
  const row = await tables
    .selectFrom('members')
    .select('role')
    .where('namespace_id', '=', namespaceId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.role as Role | undefined
}

async function isThere(tables: Reading, namespace: string): Promise<boolean> {
  const taken = await tables
    .selectFrom('namespaces')
    .select('id')
    .where(sameName(namespace))
    .executeTakeFirst()
  return taken !== undefined
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
