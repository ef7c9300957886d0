/** The decision vectors, read and laid over their defaults. */

import { readFileSync } from 'node:fs'
import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  defaultStorage,
  type HubTokenGrant,
  type HubTokenKind,
  type RefName,
  type Role,
  roleCovers,
  type Scope,
  type TokenWord,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { SeenRef } from '@latchkey/token'
import { noEnd } from '../../src/access/access-store.ts'
import { heldRole } from '../../src/access/find-repository.ts'
import type { CallerRecord } from '../../src/identity/caller.ts'
import type { RefFacts, RefRule, RepositoryFacts } from '../../src/permission/access-facts.ts'

interface WrittenPolicy {
  readonly hidePrivateRepositories: boolean
  readonly anonymousPublicRead: boolean
  readonly compatible: boolean
}

interface WrittenCaller {
  kind: HubTokenKind
  grants: readonly HubTokenGrant[]
  disabled: boolean
  administrator: boolean
  expiresAt: UnixSeconds | null
  revokedAt: UnixSeconds | null
  namespaces?: readonly string[]
}

/** Few have past holders, so the others leave them out. */
export type WrittenRef = Omit<RefFacts, 'pastHolders'> & Partial<Pick<RefFacts, 'pastHolders'>>

interface WrittenRepository {
  visibility: 'public' | 'private'
  role: Role | null
  refRules: readonly RefRule[]
  defaultBranch: RefName
  found: string | null
  /** The roles that teams give, with the ends of the memberships. */
  teams?: readonly { readonly role: Role; readonly until: number | null }[]
}

export type Expected =
  | {
      readonly permitted: string
      readonly sees: readonly SeenRef[]
      readonly withoutOwn?: true
      readonly until?: number
    }
  | { readonly refused: string; readonly missing: boolean }

interface WrittenCase {
  readonly name: string
  readonly policy?: Partial<WrittenPolicy>
  readonly caller?: Partial<WrittenCaller> | 'unknown' | null
  readonly repository?: Partial<WrittenRepository> | null
  readonly word?: TokenWord
  readonly scope: Scope
  readonly revision: string
  readonly expect: Expected
}

export interface Vectors {
  readonly about: readonly string[]
  readonly defaults: {
    readonly now: UnixSeconds
    readonly policy: WrittenPolicy
    readonly caller: WrittenCaller
    readonly repository: WrittenRepository
  }
  readonly refs: Readonly<Record<string, WrittenRef>>
  readonly groups: readonly { readonly guarantee: string; readonly cases: readonly WrittenCase[] }[]
  readonly alike: readonly (readonly string[])[]
}

export interface Case {
  readonly name: string
  readonly now: UnixSeconds
  readonly policy: WrittenPolicy
  /** `none` sends no hub token; undefined sends one that the directory does not hold. */
  readonly caller: CallerRecord | 'none' | undefined
  readonly repository: RepositoryFacts | undefined
  readonly word: TokenWord
  readonly scope: Scope
  readonly revision: string
  readonly expect: Expected
}

const file = new URL('../../../../vectors/decisions.json', import.meta.url)

export const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors

const { defaults } = vectors

export const refs: Readonly<Record<string, RefFacts>> = Object.fromEntries(
  Object.entries(vectors.refs).map(([key, ref]) => [key, { pastHolders: [], ...ref }]),
)

export const groups = vectors.groups.map(({ guarantee, cases }) => ({
  guarantee,
  cases: cases.map(completed),
}))

function completed({ policy, caller, repository, word = 'storage', ...rest }: WrittenCase): Case {
  return {
    ...rest,
    word,
    now: defaults.now,
    policy: { ...defaults.policy, ...policy },
    caller: callerOf(caller),
    repository: repositoryOf(repository),
  }
}

function callerOf(written: WrittenCase['caller']): Case['caller'] {
  if (written === null) return 'none'
  if (written === 'unknown') return undefined
  const { disabled, expiresAt, revokedAt, ...rest } = { ...defaults.caller, ...written }
  return {
    accountId: asAccountId('account'),
    accountName: 'someone',
    accountDisabled: disabled,
    hubTokenId: asHubTokenId('hub-token'),
    origin: 'admin',
    ...rest,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
  }
}

function repositoryOf(written: WrittenCase['repository']): RepositoryFacts | undefined {
  if (written === null) return undefined
  const { role, found, teams = [], ...rest } = { ...defaults.repository, ...written }
  const endOf = (least: Role) =>
    Math.max(
      0,
      ...teams.flatMap(({ role, until }) => (roleCovers(role, least) ? [until ?? noEnd] : [])),
    )
  const teamEnds = { read: endOf('read'), write: endOf('write'), admin: endOf('admin') }
  return {
    uid: asRepositoryUid('repository'),
    epoch: 0,
    storage: defaultStorage,
    ...rest,
    ...heldRole({ memberRole: role, collaboratorRole: null, teamEnds }, defaults.now),
    ref: refOf(found),
  }
}

function refOf(found: string | null): RefFacts | undefined {
  if (found === null) return undefined
  const facts = refs[found]
  if (facts === undefined) throw new Error(`the vectors hold no ref "${found}"`)
  return facts
}
