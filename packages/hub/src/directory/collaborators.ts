/** Collaborators: accounts with a role of their own in one repository. */

import { formatRepoRef, isRefusal, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import { z } from 'zod'
import { type AccountRow, findAccount, noAccount } from './account-rows.ts'
import { countOf } from './columns.ts'
import type { Tables } from './directory.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import {
  findRepositoryRow,
  namedRepository,
  noRepository,
  type RepositoryRow,
} from './repositories.ts'
import { name, role } from './words.ts'

const namedAccount = name.describe('The account that is or becomes a collaborator.')

const collaborator = z.object({ repository: z.string(), account: z.string(), role })

export const setCollaborator = operation({
  summary: 'Give an account a role in one repository, or change it.',
  input: z.strictObject({
    repository: namedRepository,
    account: namedAccount,
    role: role.describe('What the account may do; admin includes write, write includes read.'),
  }),
  output: collaborator,
  async run({ tables }, input) {
    const found = await findBoth(tables, input)
    if (isRefusal(found)) return found
    const { repository, account } = found
    const ids = { repository_uid: repository.uid, account_id: account.id }
    await tables
      .insertInto('collaborators')
      .values({ ...ids, role: input.role })
      .onConflict((existing) =>
        existing.columns(['repository_uid', 'account_id']).doUpdateSet({ role: input.role }),
      )
      .execute()
    return { repository: repository.path, account: account.name, role: input.role }
  },
})

export const listCollaborators = operation({
  summary: 'List the collaborators of a repository and their roles.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(collaborator),
  async run({ tables }, { repository, limit, after = '' }) {
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const all = tables
      .selectFrom('collaborators')
      .innerJoin('accounts', 'accounts.id', 'collaborators.account_id')
      .where('collaborators.repository_uid', '=', row.uid)
    const rows = await all
      .select(['accounts.name', 'collaborators.role'])
      .where('accounts.name', '>', after)
      .orderBy('accounts.name')
      .limit(limit + 1)
      .execute()
    return makePage(
      { rows, total: await countOf(all), limit },
      (held) => ({ repository: row.path, account: held.name, role: role.parse(held.role) }),
      (held) => held.name,
    )
  },
})

export const deleteCollaborator = operation({
  summary: 'End the role that an account has in one repository.',
  input: z.strictObject({ repository: namedRepository, account: namedAccount }),
  output: z.object({
    deleted: z.string().describe('The account that is no collaborator any more.'),
  }),
  async run({ tables }, input) {
    const found = await findBoth(tables, input)
    if (isRefusal(found)) return found
    const { numDeletedRows } = await tables
      .deleteFrom('collaborators')
      .where('repository_uid', '=', found.repository.uid)
      .where('account_id', '=', found.account.id)
      .executeTakeFirst()
    return numDeletedRows === 0n ? noCollaborator(input) : { deleted: found.account.name }
  },
})

interface Named {
  readonly repository: RepoRef
  readonly account: string
}

async function findBoth(
  tables: Tables,
  named: Named,
): Promise<{ repository: RepositoryRow; account: AccountRow } | Refusal> {
  const repository = await findRepositoryRow(tables, named.repository)
  if (repository === undefined) return noRepository(named.repository)
  const account = await findAccount(tables, named.account)
  return account === undefined ? noAccount(named.account) : { repository, account }
}

function noCollaborator({ repository, account }: Named): Refusal {
  return refuse(
    'resource_not_found',
    `The account "${account}" is no collaborator of ${formatRepoRef(repository)}. List the collaborators to see who is.`,
  )
}
