/** Whether an entry of the journal is about something that the plan of a file depends on. */

import { type DirectoryFile, halves, pathOf } from '@latchkey/admin-api'
import type { JournalRow } from '../tables/rows.ts'

export type Concerns = (
  entry: Pick<JournalRow, 'thing' | 'account' | 'namespace' | 'repository'>,
) => boolean

/** Names are unique ignoring case, so an entry about `Acme` concerns a file that names `acme`. */
export function concernsOf(
  { accounts, namespaces, repositories, hubTokens }: DirectoryFile,
  prune: boolean,
): Concerns {
  const lists = [...(namespaces ?? []).map(({ members }) => members)]
  for (const entry of repositories ?? []) lists.push(entry.collaborators)
  const teams = (namespaces ?? []).flatMap(({ teams }) => Object.values(teams ?? {}))
  const owners = (hubTokens ?? []).map(({ account }) => account)
  const revivable = (accounts ?? []).filter(
    ({ disabled, administrator }) => disabled === false || administrator === true,
  )
  const named = {
    accounts: namesOf([
      ...(accounts ?? []).map(({ name }) => name),
      ...lists.flatMap((roles) => Object.keys(roles ?? {})),
      ...teams.flatMap(({ members }) => Object.keys(members ?? {})),
      ...owners,
    ]),
    namespaces: namesOf([
      ...(namespaces ?? []).map(({ name }) => name),
      ...(repositories ?? []).map(({ id }) => halves(id)[0]),
    ]),
    repositories: namesOf((repositories ?? []).map(pathOf)),
    owners: namesOf([...owners, ...revivable.map(({ name }) => name)]),
  }
  // What a pruned section does not name counts too.
  const isPruned = (section: unknown) => prune && section !== undefined
  return ({ thing, account, namespace, repository }) => {
    switch (thing) {
      case 'account':
        return isPruned(accounts) || named.accounts.has(lower(account))
      case 'namespace':
      case 'member':
      case 'team':
      case 'team-member':
      case 'team-group':
        return isPruned(namespaces) || named.namespaces.has(lower(namespace))
      case 'repository':
        // A namespace is pruned only while it is empty.
        return isPruned(repositories ?? namespaces) || named.repositories.has(lower(repository))
      case 'collaborator':
      case 'publisher':
      case 'team-role':
      case 'ref':
      case 'commit':
        return named.repositories.has(lower(repository))
      case 'hub-token':
        return isPruned(hubTokens) || named.owners.has(lower(account))
      case 'prefix':
        return hubTokens !== undefined
      // None is in a file, and none changes a row that a file names.
      case 'identity':
      case 'group-member':
      case 'key':
      case 'forge':
      case 'cut-off':
      case 'hub':
        return false
      default:
        return true
    }
  }
}

function namesOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(lower))
}

function lower(name: string | null): string {
  return name?.toLowerCase() ?? ''
}
