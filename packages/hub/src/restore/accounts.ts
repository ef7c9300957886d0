/** Accounts and namespaces that were disabled, deleted or administrators no more. */

import { countOf } from '../tables/columns.ts'
import { hadNoMore, isSame, notThere, type Repeat, repeated } from './told.ts'

export const repeatAccount: Repeat = async ({ tables, put }, { account_id, did, after: told }) => {
  const before = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', account_id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  if (did === 'deleted') {
    await put([{ thing: 'account', before }])
    return repeated
  }
  const after = {
    ...before,
    disabled: told['disabled'] === true ? 1 : before.disabled,
    administrator: told['administrator'] === false ? 0 : before.administrator,
  }
  if (isSame(before, after)) return hadNoMore
  await put([{ thing: 'account', before, after }])
  return repeated
}

export const repeatNamespace: Repeat = async ({ tables, put }, { namespace_id: id }) => {
  const before = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirst()
  if (before === undefined) return notThere
  const held = await countOf(
    tables.selectFrom('repositories').where('namespace_id', '=', before.id),
  )
  // A namespace is deleted after its repositories, whose entries come before this one.
  if (held > 0)
    return { outcome: 'not repeated', detail: 'It has repositories; delete them first.' }
  await put([{ thing: 'namespace', before }])
  return repeated
}
