import { canonicalPattern, isRefusal, type Refusal, repoRef } from '@latchkey/protocol'
import { z } from 'zod'
import { expiry, grants } from './grants.ts'
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
  maxRefRules,
  movingRef,
  name,
  refRule,
  repoType,
  role,
  storageName,
  visibility,
} from './words.ts'

const account = z.strictObject({
  name,
  kind: accountKind.optional(),
  administrator: z.boolean().optional(),
  disabled: z.boolean().optional(),
})

const roleByAccount = z.record(name, role)

const namespace = z.strictObject({
  name,
  storage: storageName.optional(),
  members: roleByAccount.optional(),
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

const repository = z.strictObject({
  type: repoType,
  id,
  visibility: visibility.optional(),
  storage: storageName.optional(),
  defaultBranch: branch.optional(),
  branches: z.record(z.string(), moving).optional(),
  tags: z.record(z.string(), commitHash).optional(),
  refs: z.record(z.string(), moving).optional(),
  commits: z.record(z.string(), z.array(movingRef)).optional(),
  collaborators: roleByAccount.optional(),
  refRules: z.array(refRule).max(maxRefRules).optional(),
})

const hubToken = z.strictObject({
  account: name,
  name,
  kind: hubTokenKind,
  grants: grants.optional(),
  adminScopes: adminScopeList.optional(),
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
export type NamespaceEntry = z.output<typeof namespace>
export type RepositoryEntry = z.output<typeof repository>
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
    repeated(['accounts'], accounts, ({ name }) => name) ??
    repeated(['namespaces'], namespaces, ({ name }) => name) ??
    repeated(['repositories'], repositories, pathOf) ??
    repeated(['hubTokens'], hubTokens, ({ account, name }) => `${account}/${name}`) ??
    firstOf(repositories, ({ refRules = [] }, index) =>
      repeated(['repositories', index, 'refRules'], refRules, ({ pattern }) =>
        canonicalPattern(pattern),
      ),
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
