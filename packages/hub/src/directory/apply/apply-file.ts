/** Makes the directory as a file says: the order of the work, all of it in one transaction. */

import { type DirectoryFile, readDirectoryFile } from '@latchkey/admin-api'
import { readJson } from '@latchkey/admin-api/read-json'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { administers } from '../nouns/administrators.ts'
import { applyAccounts } from './apply-accounts.ts'
import { applyHubTokens } from './apply-hub-tokens.ts'
import { applyNamespaces } from './apply-namespaces.ts'
import { applyRepositories } from './apply-repositories.ts'
import type { Applied, Applying, ApplyWork } from './applying.ts'
import { keepAdministrator } from './keep-administrator.ts'
import { pruneAccounts, pruneHubTokens, pruneNamespaces, pruneRepositories } from './prune.ts'

export interface ApplyOptions {
  /** Delete what a section does not name; a section that the file lacks is left alone. */
  readonly prune?: boolean
}

/** To be run inside `Directory.change`: a refusal undoes everything. */
export async function applyText(
  work: ApplyWork,
  text: string,
  options: ApplyOptions = {},
): Promise<Applied | Refusal> {
  const read = readJson(text)
  return isRefusal(read) ? read : applyValue(work, read, options)
}

/** The same for JSON that has been read already. */
export async function applyValue(
  work: ApplyWork,
  value: unknown,
  { prune = false }: ApplyOptions = {},
): Promise<Applied | Refusal> {
  const file = readDirectoryFile(value)
  if (isRefusal(file)) return file
  const applying = await begin(work, prune)
  for (const step of steps) {
    const mistake = await step(applying, file)
    if (mistake !== undefined) return mistake
  }
  return { changes: applying.changes, hubTokens: applying.hubTokens }
}

type Step = (applying: Applying, file: DirectoryFile) => Promise<Refusal | undefined>

/** What goes, goes first, so that its names are free; what others refer to comes before them. */
const steps: readonly Step[] = [
  async (applying, { hubTokens }) => pruneHubTokens(applying, hubTokens),
  async (applying, { repositories }) => pruneRepositories(applying, repositories),
  async (applying, { namespaces }) => pruneNamespaces(applying, namespaces),
  async (applying, { accounts }) => pruneAccounts(applying, accounts),
  async (applying, { accounts = [] }) => applyAccounts(applying, accounts),
  async (applying) => keepAdministrator(applying),
  async (applying, { namespaces = [] }) => applyNamespaces(applying, namespaces),
  async (applying, { repositories = [] }) => applyRepositories(applying, repositories),
  async (applying, { hubTokens = [] }) => applyHubTokens(applying, hubTokens),
]

async function begin(work: ApplyWork, prune: boolean): Promise<Applying> {
  const accounts = await work.tables.selectFrom('accounts').selectAll().execute()
  const namespaces = await work.tables.selectFrom('namespaces').selectAll().execute()
  return {
    work,
    prune,
    administrator:
      accounts.find(administers) ?? accounts.find(({ administrator }) => administrator === 1),
    accounts: new Map(accounts.map((row) => [row.name.toLowerCase(), row])),
    namespaces: new Map(namespaces.map((row) => [row.name.toLowerCase(), row])),
    changes: [],
    hubTokens: [],
  }
}
