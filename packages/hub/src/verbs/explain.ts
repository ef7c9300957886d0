/** Explains why a token request would be allowed or refused, step by step, without making a token. */

import { grants, hubTokenKind } from '@latchkey/admin-api'
import {
  formatRepoRef,
  isRefusal,
  noCommit,
  noJournalNumber,
  parseRevision,
  type Refusal,
  type RepoRef,
  refuse,
  supposedHubTokenId,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { CallerRecord } from '../identity/caller.ts'
import { identifyCaller, whyInvalid } from '../identity/identify-caller.ts'
import { lastRemoval } from '../journal/read-journal.ts'
import { notedStorages, storageMissing } from '../minting/storage-names.ts'
import type { RepositoryFacts, WantedRevision } from '../permission/access-facts.ts'
import { type AccessRequest, decidePermission } from '../permission/decide-permission.ts'
import { isPermit, type Permit } from '../permission/permit.ts'
import type { Step } from '../permission/what-is-missing.ts'
import type { OwnedHubTokenRow } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import { findAccount, noAccount } from './accounts.ts'
import { mayUse } from './administrators.ts'
import type { Does } from './does.ts'
import { findHubToken, groupsOf, namespacesIn, noHubToken } from './hub-token-view.ts'
import { findRepositoryRow } from './repository-rows.ts'
import { holdsItself } from './roles.ts'
import { teamsBehind } from './teams.ts'

export const explain: Does<'explain'> = async (work, { scope, repository: repo, ...members }) => {
  const { actor, tables, now, findRepository, policy } = work
  const mayReadJournal = mayUse(actor, 'changes')
  const account = await findAccount(tables, members.account)
  if (account === undefined) {
    return mayReadJournal ? accountGone(tables, members.account) : noAccount(members.account)
  }
  const { hubToken: id } = members
  const token = id === undefined ? undefined : await findHubToken(tables, id)
  if (id !== undefined && token === undefined) return noHubToken()
  if (token !== undefined && token.account_id !== account.id) return otherAccount(account.name)

  const record = token === undefined ? supposed(account) : recordOf(account, token)
  const steps: Step[] = [hubTokenStep(record, now, token === undefined)]
  const caller = identifyCaller(record, now)
  if (isRefusal(caller)) return answer(caller, steps)

  const { revision: text } = members
  const revision = text === undefined ? ({ kind: 'default' } as const) : parseRevision(text)
  const facts = await findRepository(account.id, repo, revision)
  // No token is made here, so it does not matter how new the facts are.
  const request = { caller, repo, asOf: noJournalNumber, repository: facts, scope, revision }
  const through = await throughTeams(tables, { account, repo, facts, now })
  const decision = decidePermission(request, policy, (step, passed, detail) =>
    steps.push({ step, passed, detail: `${detail()}${step === 'account' ? through : ''}` }),
  )
  if (mayReadJournal && isRefusal(decision))
    steps.push(...(await removals(tables, decision, request)))
  const missing = isRefusal(decision) ? undefined : await judgeStorage(tables, decision, steps)
  return answer(missing ?? decision, steps)
}

interface HeldThrough {
  readonly account: AccountRow
  readonly repo: RepoRef
  readonly facts: RepositoryFacts | undefined
  readonly now: UnixSeconds
}

/** Empty if the account holds a role as strong itself. */
async function throughTeams(
  tables: Reading,
  { account, repo, facts, now }: HeldThrough,
): Promise<string> {
  const { role } = facts ?? {}
  const repository = role && (await findRepositoryRow(tables, repo))
  if (role === undefined || repository === undefined) return ''
  if (await holdsItself(tables, { account, repository, role })) return ''
  const teams = await teamsBehind(tables, { account, repository, role, now })
  const [first, ...more] = teams
  if (first === undefined) return ''
  return `; the role comes through the team${more.length > 0 ? 's' : ''} ${teams.join(', ')}`
}

/** A hub with one storage needs no step for it. */
async function judgeStorage(
  tables: Reading,
  { permitted: { storage } }: Permit,
  steps: Step[],
): Promise<Refusal | undefined> {
  const names = await notedStorages(tables)
  const passed = names.has(storage)
  if (passed && names.size === 1) return undefined
  steps.push({ step: 'storage', passed, detail: `the content is on the storage "${storage}"` })
  return passed ? undefined : storageMissing(storage)
}

/** Deleted accounts have names that may be typed long after. */
async function accountGone(tables: Reading, name: string): Promise<Refusal> {
  const removed = await lastRemoval(tables, 'account', { account: name })
  const refusal = noAccount(name)
  return removed === undefined
    ? refusal
    : { ...refusal, detail: `The account "${name}" ${removed}. ${refusal.detail}` }
}

/**
 * Reports who removed something that is absent now. Something that exists, and is only closed to
 * the caller, was not removed.
 */
async function removals(
  tables: Reading,
  { code }: Refusal,
  { repo, revision, repository: facts }: AccessRequest & { readonly repo: RepoRef },
): Promise<Step[]> {
  const repository = formatRepoRef(repo)
  const isRefGone = code === 'revision_not_found' && facts?.ref === undefined
  const names = isRefGone ? refNames(revision, facts?.defaultBranch) : []
  const found =
    facts === undefined
      ? [{ name: repository, removed: await lastRemoval(tables, 'repository', { repository }) }]
      : await Promise.all(
          names.map(async (ref) => ({
            name: `${repository}@${ref}`,
            removed: await lastRemoval(tables, 'ref', { repository, ref }),
          })),
        )
  return found.flatMap(({ name, removed }) =>
    removed === undefined ? [] : [{ step: 'history', passed: false, detail: `${name} ${removed}` }],
  )
}

function refNames(revision: WantedRevision, defaultBranch: string | undefined): string[] {
  if (revision.kind === 'bare') return [revision.branch, revision.tag]
  if (revision.kind === 'default') return defaultBranch === undefined ? [] : [defaultBranch]
  return revision.kind === 'ref' ? [revision.name] : []
}

function answer(decision: Permit | Refusal, steps: Step[]) {
  if (!isPermit(decision)) {
    return { allowed: false, code: decision.code, detail: decision.detail, steps }
  }
  const { scope, repo, ref, commit } = decision.permitted
  const at = commit === noCommit ? 'without a commit yet' : `at commit ${commit}`
  const detail = `A ${scope} token for ${formatRepoRef(repo)}@${ref.name} would be issued, ${at}.`
  return { allowed: true, detail, steps }
}

function accountPart(account: AccountRow) {
  return {
    accountId: account.id,
    accountName: account.name,
    accountDisabled: account.disabled === 1,
    administrator: account.administrator === 1,
  }
}

/** Without a hub token the question is about the account, so the widest kind is supposed. */
function supposed(account: AccountRow): CallerRecord {
  return {
    ...accountPart(account),
    hubTokenId: supposedHubTokenId,
    kind: 'write',
    origin: 'admin',
    grants: [],
  }
}

function recordOf(account: AccountRow, token: OwnedHubTokenRow): CallerRecord {
  const [adminScopes, namespaces] = [groupsOf(token), namespacesIn(token)]
  return {
    ...accountPart(account),
    hubTokenId: token.id,
    kind: hubTokenKind.parse(token.kind),
    origin: token.origin,
    grants: grants.parse(JSON.parse(token.grants)),
    ...(adminScopes === undefined ? {} : { adminScopes }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(token.storage === null ? {} : { storage: token.storage }),
    ...(token.expires_at === null ? {} : { expiresAt: token.expires_at as UnixSeconds }),
    ...(token.revoked_at === null ? {} : { revokedAt: token.revoked_at as UnixSeconds }),
  }
}

/** An administrator learns the reason that a stranger is not told. */
function hubTokenStep(record: CallerRecord, now: UnixSeconds, isSupposed: boolean): Step {
  const reason = whyInvalid(record, now)
  const which = isSupposed ? 'supposing a write hub token of' : `a ${record.kind} hub token of`
  return {
    step: 'hub token',
    passed: reason === undefined,
    detail: reason ?? `${which} "${record.accountName}"`,
  }
}

function otherAccount(account: string): Refusal {
  return refuse(
    'resource_not_found',
    `This hub token does not belong to "${account}". List the hub tokens of that account to see their ids.`,
    { next: ['hub-token', 'list', '--account', account] },
  )
}
