/** Plans the changes that an apply file makes to the current database. */

import type { AccountEntry, DirectoryFile, NamespaceEntry } from '@latchkey/admin-api'
import { isRefusal, journalNumber, type Refusal } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import type { Caller } from '../identity/caller.ts'
import { findHead } from '../journal/read-journal.ts'
import { notedStorages, refuseStorageOutside } from '../minting/storage-names.ts'
import type { Change } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import { endSignInsOfDisabled } from '../tables/end-sign-ins.ts'
import { accountTaken, changedAccountRow, newAccountRow } from '../verbs/accounts.ts'
import { administers, lastAdministrator, mayDisable } from '../verbs/administrators.ts'
import { refuseRevivingHubTokens } from '../verbs/hub-token-view.ts'
import { changedNamespaceRow, namespaceTaken, newNamespaceRow } from '../verbs/namespaces.ts'
import { publisherAccounts, refuseChangingPublisherAccount } from '../verbs/publisher-account.ts'
import { members } from '../verbs/roles.ts'
import type { Concerns } from './concerns.ts'
import { planHubTokens } from './plan-hub-tokens.ts'
import {
  pruneAccounts,
  pruneHubTokens,
  pruneNamespaces,
  pruneRepositories,
} from './plan-pruning.ts'
import { refuseOverdividing } from './plan-quotas.ts'
import { planRepositories } from './plan-repositories.ts'
import { planTeams, storedTeams } from './plan-teams.ts'
import {
  type Applying,
  addUnit,
  at,
  exactly,
  type Planning,
  type PlanSection,
  type PlanWork,
} from './planning.ts'
import { replaceRoles, storedMembers } from './stored-roles.ts'

/** The namespaces of a directory file, with their members and teams. */
const planNamespaces: PlanSection<NamespaceEntry> = async (planning, entries) => {
  const { work, namespaces } = planning
  const namespaceIds = entries.flatMap(({ name }) => exactly(namespaces, name)?.id ?? [])
  const roles = await storedMembers(work.tables, namespaceIds)
  for (const [index, entry] of entries.entries()) {
    await yieldInLoop(index)
    const stored = namespaces.get(entry.name.toLowerCase())
    if (stored !== undefined && stored.name !== entry.name) {
      return at(['namespaces', index, 'name'], namespaceTaken(stored.name))
    }
    const unknown = refuseStorageOutside(planning.storages, entry.storage)
    if (unknown !== undefined) return at(['namespaces', index, 'storage'], unknown)
    const place =
      stored === undefined ? newNamespaceRow(work, entry) : changedNamespaceRow(stored, entry)
    namespaces.set(place.name.toLowerCase(), place)
    const own: Change[] =
      JSON.stringify(place) === JSON.stringify(stored)
        ? []
        : [{ thing: 'namespace', before: stored, after: place }]
    const changes = replaceRoles(planning, members, {
      place,
      stored: roles.get(place.id),
      path: ['namespaces', index, 'members'],
      roles: entry.members,
    })
    if (isRefusal(changes)) return changes
    const teams = await planTeams(planning, {
      place,
      path: ['namespaces', index, 'teams'],
      teams: entry.teams,
    })
    if (isRefusal(teams)) return teams
    changes.push(...teams)
    if (own.length + changes.length === 0) continue
    const did = stored === undefined ? 'created' : 'changed'
    const [first = [], ...more] = chunked([...own, ...changes])
    addUnit(planning, first, [{ what: 'namespace', name: place.name, did }])
    for (const some of more) addUnit(planning, some, [])
  }
  return undefined
}

/** The accounts of a directory file. */
const planAccounts: PlanSection<AccountEntry> = async (planning, entries) => {
  const { work, accounts, revoked } = planning
  for (const [index, entry] of entries.entries()) {
    await yieldInLoop(index)
    const key = entry.name.toLowerCase()
    const before = accounts.get(key)
    if (before !== undefined && before.name !== entry.name) {
      return at(['accounts', index, 'name'], accountTaken(before.name))
    }
    const after =
      before === undefined ? newAccountRow(work, entry) : changedAccountRow(before, entry)
    if (JSON.stringify(after) === JSON.stringify(before)) continue
    const managed =
      before && refuseChangingPublisherAccount(planning.publisherAccounts, before, after)
    if (managed !== undefined) return at(['accounts', index], managed)
    const revives = before && (await refuseRevivingHubTokens({ ...work, revoked }, before, after))
    if (revives !== undefined) return at(['accounts', index], revives)
    accounts.set(key, after)
    const did = before === undefined ? 'created' : 'changed'
    const news = [{ what: 'account', name: after.name, did }] as const
    const ended =
      before === undefined
        ? []
        : await endSignInsOfDisabled(work.tables, { before, after, now: work.now })
    addUnit(planning, [{ thing: 'account', before, after }, ...ended], news)
  }
  return undefined
}

type Plan = Pick<Planning, 'units' | 'reported' | 'hubTokens'>

type PlanOptions = Pick<Planning, 'prune' | 'loseContent'>

async function planFile(
  work: PlanWork,
  file: DirectoryFile,
  options: PlanOptions,
): Promise<Plan | Refusal> {
  const planning = await begin(work, options)
  for (const section of sections) {
    const mistake = await section(planning, file)
    if (mistake !== undefined) return mistake
  }
  return planning
}

type Section = (planning: Planning, file: DirectoryFile) => Promise<Refusal | undefined>

/**
 * Deletions come first, so that their names are free. A section comes before the sections that
 * refer to it.
 */
const sections: readonly Section[] = [
  async (planning, { hubTokens }) => pruneHubTokens(planning, hubTokens),
  async (planning, { repositories }) => pruneRepositories(planning, repositories),
  async (planning, { namespaces }) => pruneNamespaces(planning, namespaces),
  async (planning, { accounts }) => pruneAccounts(planning, accounts),
  async (planning, { accounts = [] }) => planAccounts(planning, accounts),
  async (planning) => keepAdministrator(planning),
  async (planning, { namespaces = [] }) => planNamespaces(planning, namespaces),
  async (planning, { repositories = [] }) => planRepositories(planning, repositories),
  refuseOverdividing,
  async (planning, { hubTokens = [] }) => planHubTokens(planning, hubTokens),
]

async function begin(work: PlanWork, { prune, loseContent }: PlanOptions): Promise<Planning> {
  const accounts = await work.tables.selectFrom('accounts').selectAll().execute()
  const namespaces = await work.tables.selectFrom('namespaces').selectAll().execute()
  return {
    work,
    prune,
    loseContent,
    administrator:
      accounts.find(administers) ?? accounts.find(({ administrator }) => administrator === 1),
    accounts: new Map(accounts.map((row) => [row.name.toLowerCase(), row])),
    namespaces: new Map(namespaces.map((row) => [row.name.toLowerCase(), row])),
    publisherAccounts: await publisherAccounts(work.tables),
    teams: await storedTeams(work.tables),
    storages: await notedStorages(work.tables),
    revoked: new Set(),
    deletedRepositories: new Set(),
    units: [],
    reported: [],
    hubTokens: [],
  }
}

/** A directory file cannot take the last administrator away, neither by what it says nor by what it leaves out. */
function keepAdministrator({ work, administrator, accounts }: Planning): Refusal | undefined {
  const left = Array.from(accounts.values()).filter((row) => row.administrator === 1)
  if (administrator === undefined || left.some(administers)) return undefined
  if (administrator.disabled === 1 && left.length > 0) return undefined
  const isDisabled = accounts.get(administrator.name.toLowerCase())?.administrator === 1
  if (isDisabled && mayDisable(work.actor)) return undefined
  return at(['accounts'], lastAdministrator(administrator))
}

export interface DrawnPlan {
  readonly plan: Plan
  readonly actor: Caller | undefined
  /** The journal's last number when the plan was begun. */
  readonly since: number
}

export function drawPlan(applying: Applying): Promise<DrawnPlan | 'outdated' | Refusal> {
  const { directory, identify, file, prune, loseContent, concerns } = applying
  return directory.readBeside(async (tables) => {
    const actor = await identify()
    if (isRefusal(actor)) return actor
    const { number: since } = await findHead(tables)
    // Stands for the number of the transaction that will write it.
    const number = journalNumber(since + 1)
    const options = { prune, loseContent }
    const plan = await planFile({ ...applying, tables, actor, number }, file, options)
    // Not every database reads from one snapshot, so that a refusal could come from two.
    if (await isOutdated(tables, since, concerns)) return 'outdated'
    return isRefusal(plan) ? plan : { plan, actor, since }
  })
}

/** Whether the journal tells of something that a plan depends on, after this number. */
export async function isOutdated(
  tables: Reading,
  since: number,
  concerns: Concerns,
): Promise<boolean> {
  const { number, pruned_through } = await findHead(tables)
  if (number === since) return false
  if (pruned_through > since) return true
  const entries = await tables
    .selectFrom('journal')
    .select(['thing', 'account', 'namespace', 'repository'])
    .distinct()
    .where('number', '>', since)
    .execute()
  return entries.some(concerns)
}
