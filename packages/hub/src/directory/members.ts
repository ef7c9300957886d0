/** Members of a namespace: their role holds in all of its repositories. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { z } from 'zod'
import { type AccountRow, findAccount, noAccount } from './account-rows.ts'
import { countOf } from './columns.ts'
import type { Tables } from './directory.ts'
import { findNamespace, type NamespaceRow, namedNamespace, noNamespace } from './namespaces.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import { name, role } from './words.ts'

const namedAccount = name.describe('The account that is or becomes a member.')

const member = z.object({ namespace: z.string(), account: z.string(), role })

export const setMember = operation({
  summary: 'Make an account a member of a namespace, or change its role there.',
  input: z.strictObject({
    namespace: namedNamespace,
    account: namedAccount,
    role: role.describe('What the member may do; admin includes write, write includes read.'),
  }),
  output: member,
  async run({ tables }, input) {
    const found = await findBoth(tables, input)
    if (isRefusal(found)) return found
    const { namespace, account } = found
    const ids = { namespace_id: namespace.id, account_id: account.id }
    await tables
      .insertInto('members')
      .values({ ...ids, role: input.role })
      .onConflict((existing) =>
        existing.columns(['namespace_id', 'account_id']).doUpdateSet({ role: input.role }),
      )
      .execute()
    return { namespace: namespace.name, account: account.name, role: input.role }
  },
})

export const listMembers = operation({
  summary: 'List the members of a namespace and their roles.',
  input: z.strictObject({ namespace: namedNamespace, ...paging }),
  output: pageOf(member),
  async run({ tables }, { namespace, limit, after = '' }) {
    const row = await findNamespace(tables, namespace)
    if (row === undefined) return noNamespace(namespace)
    const all = tables
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.account_id')
      .where('members.namespace_id', '=', row.id)
    const rows = await all
      .select(['accounts.name', 'members.role'])
      .where('accounts.name', '>', after)
      .orderBy('accounts.name')
      .limit(limit + 1)
      .execute()
    return makePage(
      { rows, total: await countOf(all), limit },
      (held) => ({ namespace, account: held.name, role: role.parse(held.role) }),
      (held) => held.name,
    )
  },
})

export const deleteMember = operation({
  summary: 'End the membership of an account in a namespace.',
  input: z.strictObject({ namespace: namedNamespace, account: namedAccount }),
  output: z.object({ deleted: z.string().describe('The account that is no member any more.') }),
  async run({ tables }, input) {
    const found = await findBoth(tables, input)
    if (isRefusal(found)) return found
    const { numDeletedRows } = await tables
      .deleteFrom('members')
      .where('namespace_id', '=', found.namespace.id)
      .where('account_id', '=', found.account.id)
      .executeTakeFirst()
    return numDeletedRows === 0n ? noMember(input) : { deleted: found.account.name }
  },
})

interface Named {
  readonly namespace: string
  readonly account: string
}

async function findBoth(
  tables: Tables,
  named: Named,
): Promise<{ namespace: NamespaceRow; account: AccountRow } | Refusal> {
  const namespace = await findNamespace(tables, named.namespace)
  if (namespace === undefined) return noNamespace(named.namespace)
  const account = await findAccount(tables, named.account)
  return account === undefined ? noAccount(named.account) : { namespace, account }
}

function noMember({ namespace, account }: Named): Refusal {
  return refuse(
    'resource_not_found',
    `The account "${account}" is no member of "${namespace}". List the members to see who is.`,
  )
}
