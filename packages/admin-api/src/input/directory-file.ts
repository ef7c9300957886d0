import { canonicalPattern, isRefusal, type Refusal, repoRef } from '@latchkey/protocol'
import { z } from 'zod'
import { expiry, grants } from './grants.ts'
import {
  claimConditions,
  maxPublishers,
  publisherContents,
  publisherIssuer,
  publisherLabel,
  publisherPreset,
  publisherRefs,
  publisherSeconds,
} from './publishers.ts'
import { type InputPath, mistake } from './read-input.ts'
import { readInputInParts } from './read-input-in-parts.ts'
import type { Pause } from './read-json.ts'
import {
  accountKind,
  adminScopeList,
  branch,
  checked,
  commitHash,
  hubTokenKind,
  managedNamespaces,
  maxRefRules,
  maxTeamGroups,
  movingRef,
  name,
  providerGroup,
  quota,
  refRule,
  repoType,
  role,
  storageName,
  teamRole,
  visibility,
} from './words.ts'

const account = z.strictObject({
  name,
  kind: accountKind.optional(),
  administrator: z.boolean().optional(),
  disabled: z.boolean().optional(),
})

const roleByAccount = z.record(name, role)

const team = z.strictObject({
  role: teamRole.optional(),
  members: z.record(name, z.strictObject({ until: expiry.optional() })).optional(),
  groups: z.record(name, z.array(providerGroup).max(maxTeamGroups)).optional(),
})

const namespace = z.strictObject({
  name,
  storage: storageName.optional(),
  quota: quota.optional(),
  members: roleByAccount.optional(),
  teams: z.record(name, team).optional(),
})

/** `"main": "<hash>"`, or with the branch it was made from. Without a commit, a branch that exists stays where it is. */
const moving = z.union([
  commitHash,
  z.null(),
  z.strictObject({ commit: commitHash.nullish(), from: movingRef.optional() }),
])

const id = checked(
  (text) => repoRef('model', ...halves(text)) !== undefined,
  'must be namespace/name, such as acme/bert',
)

const publisher = z.strictObject({
  name,
  preset: publisherPreset,
  contents: publisherContents,
  claims: claimConditions,
  issuer: publisherIssuer.optional(),
  refs: publisherRefs.optional(),
  maxSeconds: publisherSeconds.optional(),
  label: publisherLabel.optional(),
})

const repository = z.strictObject({
  type: repoType,
  id,
  visibility: visibility.optional(),
  storage: storageName.optional(),
  quota: quota.optional(),
  defaultBranch: branch.optional(),
  branches: z.record(z.string(), moving).optional(),
  tags: z.record(z.string(), commitHash).optional(),
  refs: z.record(z.string(), moving).optional(),
  commits: z.record(z.string(), z.array(movingRef)).optional(),
  collaborators: roleByAccount.optional(),
  teams: z.record(name, role).optional(),
  refRules: z.array(refRule).max(maxRefRules).optional(),
  publishers: z.array(publisher).max(maxPublishers).optional(),
})

const hubToken = z.strictObject({
  account: name,
  name,
  kind: hubTokenKind,
  grants: grants.optional(),
  adminScopes: adminScopeList.optional(),
  namespaces: managedNamespaces.optional(),
  storage: storageName.optional(),
  expiresAt: expiry.optional(),
})

export const directoryFile = z.strictObject({
  accounts: z.array(account).optional(),
  namespaces: z.array(namespace).optional(),
  repositories: z.array(repository).optional(),
  hubTokens: z.array(hubToken).optional(),
})

export type DirectoryFile = z.output<typeof directoryFile>
export type AccountEntry = z.output<typeof account>
export type TeamEntry = z.output<typeof team>
export type NamespaceEntry = z.output<typeof namespace>
export type RepositoryEntry = z.output<typeof repository>
export type PublisherEntry = z.output<typeof publisher>
export type HubTokenEntry = z.output<typeof hubToken>
export type MovingEntry = z.output<typeof moving>

export async function readDirectoryFile(
  value: unknown,
  pause: Pause,
): Promise<DirectoryFile | Refusal> {
  const file = await readInputInParts(directoryFile, value, pause)
  return isRefusal(file) ? file : (findRepeated(file) ?? file)
}

export function halves(id: string): [namespace: string, name: string] {
  const [namespace = '', name = '', ...more] = id.split('/')
  return more.length === 0 ? [namespace, name] : ['', '']
}

export function pathOf({ type, id }: RepositoryEntry): string {
  return `${type}s/${id}`
}

/** Entries that name the same thing: names are unique ignoring case. */
function findRepeated(file: DirectoryFile): Refusal | undefined {
  const { accounts = [], namespaces = [], repositories = [], hubTokens = [] } = file
  return (
    firstOf(namespaces, ({ teams = {} }, index) =>
      repeated(['namespaces', index, 'teams'], Object.keys(teams), (team) => team),
    ) ??
    repeated(['accounts'], accounts, ({ name }) => name) ??
    repeated(['namespaces'], namespaces, ({ name }) => name) ??
    repeated(['repositories'], repositories, pathOf) ??
    repeated(['hubTokens'], hubTokens, ({ account, name }) => `${account}/${name}`) ??
    firstOf(repositories, ({ refRules = [] }, index) =>
      repeated(['repositories', index, 'refRules'], refRules, ({ pattern }) =>
        canonicalPattern(pattern),
      ),
    ) ??
    firstOf(repositories, ({ publishers = [] }, index) =>
      repeated(['repositories', index, 'publishers'], publishers, ({ name }) => name),
    )
  )
}

function repeated<Entry>(
  path: InputPath,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Refusal | undefined {
  const firstIndexes = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    // Ref patterns are bytes; everything else is unique ignoring case.
    const key = path.at(-1) === 'refRules' ? keyOf(entry) : keyOf(entry).toLowerCase()
    const first = firstIndexes.get(key)
    if (first !== undefined) {
      return mistake([...path, index], `repeats entry [${first}]: keep one of them`)
    }
    firstIndexes.set(key, index)
  }
  return undefined
}

function firstOf<Entry>(
  entries: readonly Entry[],
  find: (entry: Entry, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, entry] of entries.entries()) {
    const found = find(entry, index)
    if (found !== undefined) return found
  }
  return undefined
}
