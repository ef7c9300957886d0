/** Brings a hub back from a backup, without what was taken away after it. */

import { dirname } from 'node:path'
import { isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { copyAndCheck, nameDatabase, type RestoredFile } from '@latchkey/service/backup'
import { syncPath } from '@latchkey/service/machine/files'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { databaseIn, restoringFile } from '../data/data-directory.ts'
import { openStore } from '../data/open-store.ts'
import { liveHubTokens } from '../rollback/find-loss.ts'
import { readKeptNumber, writeKeptNumber } from '../rollback/kept-number.ts'
import type { Store } from '../stores/store.ts'
import type { Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Directory, Reading } from '../tables/directory.ts'
import { endSignIns } from '../tables/end-sign-ins.ts'
import { raiseEpochs } from '../verbs/repository-rows.ts'
import { type RepeatedEntry, repeatNarrowing } from './repeat-narrowing.ts'

/** They give a repository a new epoch because content of it was removed; a deleted ref does so under its own verb. */
const removingVerbs = [
  'link raise-epoch',
  'storage delete',
  'storage gc',
  'storage reset-urls',
  'storage reconcile',
]

/** Their paths, in order. The storage's backup has the content again, and no entry says which content it was. */
async function findRemovedContent(
  directory: Directory,
  { old, after }: { readonly old: Reading; readonly after: number },
): Promise<readonly string[]> {
  const entries = await old
    .selectFrom('journal')
    .select('repository_uid')
    .distinct()
    .where('number', '>', after)
    .where('thing', '=', 'repository')
    .where('verb', 'in', removingVerbs)
    .execute()
  const uids = entries.flatMap(({ repository_uid }) => repository_uid ?? [])
  const paths: string[] = []
  for (const some of chunked(uids)) {
    const rows = await directory.read((tables) =>
      tables.selectFrom('repositories').select('path').where('uid', 'in', some).execute(),
    )
    paths.push(...rows.map(({ path }) => path))
  }
  return paths.sort()
}

export interface HubRestore {
  /** The backup. */
  readonly folder: string
  readonly data: string
  /** The file that the database will be; its draft is there. */
  readonly file: string
  /** The last entry of the journal that the backup has. */
  readonly journal: number
  /** The journal as it was when the directory was lost. */
  readonly old: Reading | undefined
  /** The highest number that a storage has heard of. */
  readonly heard: number
  /** False where the content stays as it is. */
  readonly hasContent: boolean
}

export interface RestoreDeps {
  readonly origin: Origin
  readonly now: UnixSeconds
  readonly nowMs: () => number
  readonly randomBytes: RandomBytes
}

export interface RestoredHub {
  /** Undefined without an old journal. */
  readonly repeated: readonly RepeatedEntry[] | undefined
  /** Repositories whose refs have new addresses. */
  readonly repositories: number
  /** Without an old journal. */
  readonly usable: Usable | undefined
  /** Repositories whose content was removed after the backup and is back, where the old journal tells. */
  readonly returnedContent: readonly string[] | undefined
}

/** The name of the hub's database, and its name until the restore is done. */
export function restoredDatabase(file: string): RestoredFile {
  return { name: file, draft: restoringFile(file) }
}

/** A restore that is cut off or refused leaves no database, so that no hub can be started on it for a moment. */
export async function restoreHub(
  restore: HubRestore,
  deps: RestoreDeps,
): Promise<RestoredHub | Refusal> {
  const { folder, data, file } = restore
  const names = restoredDatabase(file)
  const lastNumber = await lastKnownNumber(restore)
  copyAndCheck(databaseIn(folder), names.draft)
  const nowMs = () => Math.max(deps.nowMs(), lastNumber + 1)
  const place = { data, database: `sqlite:${names.draft}` }
  const store = await openStore(place, { create: false, nowMs })
  let result: RestoredHub | Refusal
  let number: number
  try {
    result = await settle(store, restore, deps)
    number = (await store.access.version()).number
  } finally {
    // The last connection to close writes everything into the file itself.
    await store.close()
  }
  if (isRefusal(result)) return result
  syncPath(names.draft)
  nameDatabase(names)
  if (dirname(file) !== data) syncPath(data)
  // A restore is no rollback: the hub goes on from here.
  await writeKeptNumber(data, number)
  return result
}

/**
 * A number that is given twice would hide content: what a storage has stored up to it would count as later than what the
 * restored hub does next. A clock that is behind, or a change of thousands of things just before the loss, could do that.
 */
async function lastKnownNumber({ data, old, heard }: HubRestore): Promise<number> {
  const head = await old?.selectFrom('journal_head').select('number').executeTakeFirst()
  return Math.max(head?.number ?? 0, heard, readKeptNumber(data) ?? 0)
}

async function settle(
  { directory }: Store,
  { journal: after, old, hasContent }: HubRestore,
  { origin, now, randomBytes }: RestoreDeps,
): Promise<RestoredHub | Refusal> {
  const isBack = hasContent && old !== undefined
  const returnedContent = isBack ? await findRemovedContent(directory, { old, after }) : undefined
  const repeating = { after, origin, now, randomBytes }
  const repeated = old && (await repeatNarrowing(directory, { old, ...repeating }))
  if (isRefusal(repeated)) return repeated
  const repositories = await raiseEpochs(directory, origin, 'all')
  if (old === undefined) await removeEveryKey(directory, origin)
  await endEveryToken(directory, { origin, now })
  const usable = old === undefined ? await findUsable(directory, now) : undefined
  return { repeated, repositories, usable, returnedContent }
}

/**
 * Without the old journal nobody knows which keys were removed after the backup. One that leaked must not sign again, and
 * whoever has it writes any number into a token: so every key goes, and the next start makes new ones.
 */
export async function removeEveryKey(directory: Directory, origin: Origin): Promise<void> {
  await directory.change(async ({ tables, putAs }) => {
    const keys = await tables.selectFrom('signing_keys').selectAll().execute()
    await putAs(origin)(keys.map((before) => ({ thing: 'key', before })))
  })
}

/** Storage tokens, and what people and jobs signed in for: an end after the backup may be lost. */
export async function endEveryToken(
  directory: Directory,
  { origin, now }: Pick<RestoreDeps, 'origin' | 'now'>,
): Promise<void> {
  await directory.change(async ({ tables, putAs }) => {
    const ended = await endSignIns(tables, now)
    await putAs(origin)([...ended, { thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }])
  })
}

export interface Usable {
  readonly accounts: readonly { readonly name: string }[]
  readonly hubTokens: readonly {
    readonly id: string
    readonly account: string
    readonly name: string
    readonly kind: string
  }[]
}

function findUsable(directory: Directory, now: UnixSeconds): Promise<Usable> {
  return directory.read(async (tables) => {
    const accounts = await tables
      .selectFrom('accounts')
      .select('name')
      .where('disabled', '=', 0)
      .orderBy('name')
      .execute()
    const hubTokens = await liveHubTokens(tables, now)
      .select(['hub_tokens.id', 'accounts.name as account', 'hub_tokens.name', 'hub_tokens.kind'])
      .orderBy('accounts.name')
      .orderBy('hub_tokens.name')
      .execute()
    return { accounts, hubTokens }
  })
}
