/** The hub tokens of a directory file: known by account and name, their secrets made once. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { type AccountRow, noAccount } from '../account-rows.ts'
import { chunked } from '../columns.ts'
import { refuseChangingHubToken, refuseMakingHubToken } from '../hub-token-reach.ts'
import {
  changedHubTokenRow,
  checkHubToken,
  checkNewHubToken,
  type HubTokenRow,
  makeHubTokenRow,
} from '../hub-token-rows.ts'
import { rememberPrefix } from '../prefixes.ts'
import type { InputPath } from '../read-input.ts'
import { type Applying, type ApplyStep, at, exactly } from './applying.ts'
import { insertAll } from './batch.ts'
import { breathe } from './breathe.ts'
import type { HubTokenEntry } from './directory-file.ts'

export const applyHubTokens: ApplyStep<HubTokenEntry> = async (applying, entries) => {
  const stored = await storedHubTokens(applying, entries)
  const created: HubTokenRow[] = []
  for (const [index, entry] of entries.entries()) {
    await breathe(index)
    const path = ['hubTokens', index]
    const account = exactly(applying.accounts, entry.account)
    if (account === undefined) return at([...path, 'account'], noAccount(entry.account))
    const row = stored.get(keyOf(account.id, entry.name))
    const mistake =
      row === undefined
        ? create(applying, created, account, entry)
        : await change(applying, row, entry)
    if (mistake !== undefined) return inside(path, mistake)
  }
  if (created.length > 0) await rememberPrefix(applying.work)
  await insertAll(applying.work.tables, 'hub_tokens', created)
  return undefined
}

function create(
  { work, changes, hubTokens }: Applying,
  created: HubTokenRow[],
  account: AccountRow,
  entry: HubTokenEntry,
): Refusal | undefined {
  const refused = checkNewHubToken(work, account, entry) ?? refuseMakingHubToken(work.actor, entry)
  if (refused !== undefined) return refused
  const { row, token } = makeHubTokenRow(work, account, entry)
  created.push(row)
  hubTokens.push({ account: account.name, name: entry.name, token })
  changes.push({ what: 'hub-token', name: nameOf(entry), did: 'created' })
  return undefined
}

async function change(
  { work, changes }: Applying,
  row: HubTokenRow,
  entry: HubTokenEntry,
): Promise<Refusal | undefined> {
  if (row.name !== entry.name) return otherCase(row.name)
  if (row.kind !== entry.kind) return otherKind(row.kind)
  const changed = changedHubTokenRow(row, entry)
  const { grants, verb_groups, expires_at } = changed
  const isSame = JSON.stringify(changed) === JSON.stringify(row)
  // An expiry that has passed meanwhile is no mistake in a file that has not changed.
  const { expiresAt, ...rest } = entry
  const refused = checkHubToken(work, row.kind, expires_at === row.expires_at ? rest : entry)
  if (refused !== undefined || isSame) return refused
  const beyond = refuseChangingHubToken(work.actor, row, changed)
  if (beyond !== undefined) return beyond
  await work.tables
    .updateTable('hub_tokens')
    .set({ grants, verb_groups, expires_at })
    .where('id', '=', row.id)
    .execute()
  changes.push({ what: 'hub-token', name: nameOf(entry), did: 'changed' })
  return undefined
}

/** The live hub tokens of the accounts that the file names. */
async function storedHubTokens(
  { work, accounts }: Applying,
  entries: readonly HubTokenEntry[],
): Promise<ReadonlyMap<string, HubTokenRow>> {
  const owners = new Set(entries.flatMap(({ account }) => exactly(accounts, account)?.id ?? []))
  const stored = new Map<string, HubTokenRow>()
  for (const ids of chunked(Array.from(owners))) {
    const rows = await work.tables
      .selectFrom('hub_tokens')
      .selectAll()
      .where('account_id', 'in', ids)
      .where('revoked_at', 'is', null)
      .execute()
    for (const row of rows) stored.set(keyOf(row.account_id, row.name), row)
  }
  return stored
}

function keyOf(accountId: string, name: string): string {
  return `${accountId}/${name.toLowerCase()}`
}

function nameOf({ account, name }: HubTokenEntry): string {
  return `${account}/${name}`
}

/** The rules name a member; the file names the entry it is in. */
function inside(path: InputPath, refusal: Refusal): Refusal {
  return at(refusal.path === undefined ? path : [...path, refusal.path], refusal)
}

function otherCase(name: string): Refusal {
  return refuse(
    'conflict',
    `This account has a hub token "${name}" already, and names must differ by more than case. Write it so, or choose another name.`,
    { path: 'name' },
  )
}

function otherKind(kind: string): Refusal {
  return refuse(
    'conflict',
    `This hub token is ${kind}, and its kind can never change. Revoke it first; the file then makes a new one.`,
    { path: 'kind' },
  )
}
