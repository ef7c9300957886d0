/** One use of a verb as the log keeps it: who did what to what, by which hub token, and how it ended. */

import {
  type AccountId,
  embeddedHubTokenId,
  formatRepoRef,
  type HubTokenId,
  isRefusal,
  type RefusalCode,
  type RepoRef,
} from '@latchkey/protocol'
import { shorten } from '@latchkey/service/observe/log'
import type { LoggedCaller } from '../issue/authenticate.ts'
import type { HubLog } from './log-events.ts'

export interface AdminCall {
  readonly verb: string
  readonly actor: Actor
  readonly target: Target
  readonly outcome: 'done' | 'refused' | 'failed'
  readonly code: RefusalCode | undefined
  /** The changes of an apply file or a push, in their order. */
  readonly changes?: readonly Target[]
  /** The client's; a command on the machine has none. */
  readonly address?: string
  readonly requestId?: string
  readonly milliseconds: number
}

export interface Actor {
  /** The id of the account that asked; undefined when the caller was not recognised. */
  readonly subject?: AccountId | undefined
  readonly account?: string | undefined
  /** The id of the hub token of the actor. */
  readonly hubToken?: HubTokenId | undefined
  /** The operating system's user that ran a command on the machine. */
  readonly user?: string | undefined
}

export type Target = Readonly<Record<string, string | boolean>>

/**
 * The log gets only these members of an input or a response: new hub tokens in particular stay out
 * of it.
 */
const logged = [
  ...['account', 'namespace', 'repository', 'ref', 'hubToken', 'name', 'pattern', 'hash', 'commit'],
  ...['id', 'uid', 'kind', 'role', 'write', 'administrator', 'disabled', 'visibility', 'from'],
  ...['expiresAt', 'defaultBranch', 'prune', 'dryRun', 'kid', 'use', 'compromised', 'tokenId'],
]

/** The subject of an operation: from its input, and from its response after that. */
export function targetOf(input: unknown, answer?: unknown): Target {
  return pick(logged, { ...Object(input), ...(isRefusal(answer) ? {} : Object(answer)) })
}

/**
 * The changes in the response of an operation that can change several things; the others change
 * their target only.
 */
export function changesIn(answer: unknown): readonly Target[] | undefined {
  const { changes, dryRun } = Object(answer)
  if (!Array.isArray(changes) || dryRun === true) return undefined
  return changes.map((change) => pick(['did', 'what', 'name'], Object(change)))
}

/** Under the names that the target of a verb has, so that both are found alike. */
function targetOfChange({ what, name }: Target): Target {
  const [owner = '', rest = ''] = String(name).split(what === 'hub-token' ? '/' : '@', 2)
  switch (what) {
    case 'ref':
      return { repository: owner, ref: rest }
    case 'commit':
      return { repository: owner, hash: rest }
    case 'hub-token':
      return { account: owner, name: rest }
    default:
      return { [String(what)]: owner }
  }
}

function pick(names: readonly string[], members: Readonly<Record<string, unknown>>): Target {
  const picked = names.flatMap((name) => {
    const value = readable(members[name])
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(picked)
}

function readable(value: unknown): string | boolean | undefined {
  if (typeof value === 'string') return shorten(value)
  if (typeof value === 'boolean') return value
  return isRepoRef(value) ? formatRepoRef(value) : undefined
}

function isRepoRef(value: unknown): value is RepoRef {
  return typeof value === 'object' && value !== null && 'type' in value && 'namespace' in value
}

export function actorOf({ accountId, accountName, hubTokenId }: LoggedCaller): Actor {
  return { subject: accountId, account: accountName, hubToken: hubTokenId }
}

export function endOf(answer: unknown): Pick<AdminCall, 'outcome' | 'code'> {
  if (!isRefusal(answer)) return { outcome: 'done', code: undefined }
  const { code } = answer
  return { outcome: code === 'internal_error' ? 'failed' : 'refused', code }
}

export function logAdminCall(log: HubLog, { actor, changes, ...call }: AdminCall): void {
  log('admin_called', { ...actor, ...call, changes: changes?.length })
  const { verb, requestId } = call
  for (const change of changes ?? []) {
    const { did } = change
    log('admin_changed', { ...actor, verb, did, target: targetOfChange(change), requestId })
  }
}

export type LinkRoute = 'changes' | 'quotas' | 'epochs' | 'places' | `forge/${string}`

export interface LinkCall {
  readonly route: LinkRoute
  readonly actor: Actor
  readonly outcome: AdminCall['outcome']
  readonly code: RefusalCode | undefined
  readonly address: string
  readonly requestId: string
  readonly milliseconds: number
}

/** The storage of the hub's own process has no account. */
export const embeddedActor: Actor = { hubToken: embeddedHubTokenId }

export function logLinkCall(log: HubLog, { actor, ...call }: LinkCall): void {
  log('link_called', { ...actor, ...call })
}

export interface RevokePost {
  /** How many were reported, whatever they were; undefined where the body was not read. */
  readonly tokens: number | undefined
  readonly outcome: 'accepted' | RefusalCode
  readonly address: string
  readonly requestId: string
  readonly milliseconds: number
}

export function logRevokePost(log: HubLog, post: RevokePost): void {
  log('revoke_posted', { ...post })
}

/** The ids that one window of reports revoked. */
export interface RevokedByReport {
  readonly hubTokens: readonly HubTokenId[]
  readonly storageTokens: readonly string[]
  readonly requestIds: readonly string[]
}

/** A log line stays readable; the journal has every hub token. */
const maxLoggedIds = 100

export function logRevoked(
  log: HubLog,
  { hubTokens, storageTokens, requestIds }: RevokedByReport,
): void {
  log('tokens_revoked', {
    hubTokens: hubTokens.slice(0, maxLoggedIds),
    storageTokens: storageTokens.slice(0, maxLoggedIds),
    hubTokenCount: hubTokens.length,
    storageTokenCount: storageTokens.length,
    requestIds: requestIds.slice(0, maxLoggedIds),
  })
}
