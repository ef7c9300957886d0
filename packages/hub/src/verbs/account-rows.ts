/** Accounts as the directory has them: how a row is made, changed and found. */

import { type AccountKind, type Refusal, refuse } from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import { nameIs, sameName } from '../tables/columns.ts'
import type { Reading, Work } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'

export interface AccountWish {
  readonly kind?: AccountKind | undefined
  readonly administrator?: boolean | undefined
  readonly disabled?: boolean | undefined
}

export function newAccountRow(
  { now, randomBytes }: Work,
  { name, ...wish }: AccountWish & { readonly name: string },
): AccountRow {
  const plain = { kind: 'user', administrator: 0, disabled: 0, created_at: now }
  return changedAccountRow({ id: newId(randomBytes), name, ...plain }, wish)
}

export function changedAccountRow(row: AccountRow, wish: AccountWish): AccountRow {
  return {
    ...row,
    kind: wish.kind ?? row.kind,
    administrator: Number(wish.administrator ?? row.administrator),
    disabled: Number(wish.disabled ?? row.disabled),
  }
}

export function findAccount(tables: Reading, name: string): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where(nameIs(name)).executeTakeFirst()
}

export function findSimilarAccount(tables: Reading, name: string): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where(sameName(name)).executeTakeFirst()
}

export function noAccount(name: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no account "${name}". Names are matched exactly; create the account first.`,
    { next: ['account', 'create', name] },
  )
}

export function accountTaken(name: string): Refusal {
  return refuse(
    'conflict',
    `There is an account "${name}" already, and names must differ by more than case. Choose another name, or change that account.`,
    { next: ['account', 'show', name] },
  )
}
