/** What a directory file would change in the directory, by what the directory holds now. */

import type { DirectoryFile } from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import { administers } from '../verbs/administrators.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { planAccounts } from './plan-accounts.ts'
import { planHubTokens } from './plan-hub-tokens.ts'
import { planNamespaces } from './plan-namespaces.ts'
import {
  pruneAccounts,
  pruneHubTokens,
  pruneNamespaces,
  pruneRepositories,
} from './plan-pruning.ts'
import { planRepositories } from './plan-repositories.ts'
import type { Planning, PlanWork } from './planning.ts'

export type Plan = Pick<Planning, 'units' | 'reported' | 'hubTokens'>

type PlanOptions = Pick<Planning, 'prune' | 'loseContent'>

export async function planFile(
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

/** What goes, goes first, so that its names are free; what others refer to comes before them. */
const sections: readonly Section[] = [
  async (planning, { hubTokens }) => pruneHubTokens(planning, hubTokens),
  async (planning, { repositories }) => pruneRepositories(planning, repositories),
  async (planning, { namespaces }) => pruneNamespaces(planning, namespaces),
  async (planning, { accounts }) => pruneAccounts(planning, accounts),
  async (planning, { accounts = [] }) => planAccounts(planning, accounts),
  async (planning) => keepAdministrator(planning),
  async (planning, { namespaces = [] }) => planNamespaces(planning, namespaces),
  async (planning, { repositories = [] }) => planRepositories(planning, repositories),
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
    revoked: new Set(),
    deletedRepositories: new Set(),
    units: [],
    reported: [],
    hubTokens: [],
  }
}
