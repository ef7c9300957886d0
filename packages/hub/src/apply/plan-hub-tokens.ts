/** The hub tokens of a directory file: known by account and name, their secrets made once. */

import type { HubTokenEntry, InputPath } from '@latchkey/admin-api'
import { type AccountId, isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { AccountRow, HubTokenRow } from '../tables/rows.ts'
import { noAccount } from '../verbs/accounts.ts'
import {
  changedHubTokenRow,
  checkHubToken,
  checkNewHubToken,
  makeHubTokenRow,
  prefixChange,
} from '../verbs/hub-token-rows.ts'
import { refuseChangingHubToken, refuseMakingHubToken } from '../verbs/hub-token-view.ts'
import { ownedByPublisher } from '../verbs/publisher-account.ts'
import {
  absent,
  addUnit,
  at,
  exactly,
  type MadeHubToken,
  type Planning,
  type PlanSection,
} from './planning.ts'

export const planHubTokens: PlanSection<HubTokenEntry> = async (planning, entries) => {
  const stored = await storedHubTokens(planning, entries)
  const made: Change[] = []
  for (const [index, entry] of entries.entries()) {
    await yieldInLoop(index)
    const path = ['hubTokens', index]
    const account = exactly(planning.accounts, entry.account)
    if (account === undefined) {
      const missing = { what: 'account', name: entry.account } as const
      return at([...path, 'account'], absent(planning, missing, noAccount(entry.account)))
    }
    const owner = planning.publisherAccounts.get(account.id)
    if (owner !== undefined) return at([...path, 'account'], ownedByPublisher(account.name, owner))
    const row = stored.get(keyOf(account.id, entry.name))
    if (row !== undefined) {
      const mistake = change(planning, { account, row, entry })
      if (mistake !== undefined) return inside(path, mistake)
      continue
    }
    const created = await create(planning, account, entry)
    if (isRefusal(created)) return inside(path, created)
    made.push({ thing: 'hub-token', after: created.row, account })
    planning.hubTokens.push(created.made)
    planning.reported.push({ what: 'hub-token', name: nameOf(entry), did: 'created' })
  }
  // The secrets are shown once, so that all new hub tokens are made with the answer.
  if (made.length > 0) addUnit(planning, [...(await prefixChange(planning.work)), ...made], [])
  return undefined
}

async function create(
  { work }: Planning,
  account: AccountRow,
  entry: HubTokenEntry,
): Promise<{ readonly row: HubTokenRow; readonly made: MadeHubToken } | Refusal> {
  const refused =
    (await checkNewHubToken(work, account, entry)) ?? refuseMakingHubToken(work.actor, entry)
  if (refused !== undefined) return refused
  const { row, token } = makeHubTokenRow(work, account, entry)
  return { row, made: { account: account.name, name: entry.name, token } }
}

interface Stored {
  readonly account: AccountRow
  readonly row: HubTokenRow
  readonly entry: HubTokenEntry
}

function change(planning: Planning, { account, row, entry }: Stored): Refusal | undefined {
  const { work } = planning
  if (row.name !== entry.name) return otherCase(row, account)
  if (row.kind !== entry.kind) return otherKind(row)
  if (entry.storage !== undefined && entry.storage !== row.storage) return otherStorage(row)
  if (JSON.stringify(entry.namespaces ?? null) !== (row.namespaces ?? 'null'))
    return otherNamespaces(row)
  const after = changedHubTokenRow(row, entry)
  // An expiry that has passed meanwhile is no mistake in a file that has not changed.
  const { expiresAt, ...rest } = entry
  const isSameEnd = after.expires_at === row.expires_at
  const refused = checkHubToken(work, row.kind, isSameEnd ? rest : entry)
  if (refused !== undefined) return refused
  if (JSON.stringify(after) === JSON.stringify(row)) return undefined
  const beyond = refuseChangingHubToken(work.actor, row, after)
  if (beyond !== undefined) return beyond
  const news = [{ what: 'hub-token', name: nameOf(entry), did: 'changed' }] as const
  addUnit(planning, [{ thing: 'hub-token', before: row, after, account }], news)
  return undefined
}

/** The live hub tokens of the accounts that the file names. */
async function storedHubTokens(
  { work, accounts, revoked }: Planning,
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
    for (const row of rows) {
      if (!revoked.has(row.id)) stored.set(keyOf(row.account_id, row.name), row)
    }
  }
  return stored
}

function keyOf(accountId: AccountId, name: string): string {
  return `${accountId}/${name.toLowerCase()}`
}

function nameOf({ account, name }: HubTokenEntry): string {
  return `${account}/${name}`
}

/** The rules name a member; the file names the entry it is in. */
function inside(path: InputPath, refusal: Refusal): Refusal {
  return at(refusal.path === undefined ? path : [...path, refusal.path], refusal)
}

function otherCase({ name }: HubTokenRow, { name: account }: AccountRow): Refusal {
  return refuse(
    'conflict',
    `This account has a hub token "${name}" already, and names must differ by more than case. Write it so, or choose another name.`,
    { path: 'name', next: ['hub-token', 'list', '--account', account] },
  )
}

function otherStorage({ id, storage }: HubTokenRow): Refusal {
  return refuse(
    'conflict',
    storage === null
      ? 'Only hub tokens of kind storage name a storage. Leave storage out.'
      : `This hub token is for the storage "${storage}", which can never change. Revoke it first; the file then makes a new one.`,
    { path: 'storage', next: ['hub-token', 'show', id] },
  )
}

function otherNamespaces({ id }: HubTokenRow): Refusal {
  return refuse(
    'conflict',
    'This hub token carries other namespaces, and they can never change. Revoke it first; the file then makes a new one.',
    { path: 'namespaces', next: ['hub-token', 'show', id] },
  )
}

function otherKind({ id, kind }: HubTokenRow): Refusal {
  return refuse(
    'conflict',
    `This hub token is ${kind}, and its kind can never change. Revoke it first; the file then makes a new one.`,
    { path: 'kind', next: ['hub-token', 'show', id] },
  )
}
