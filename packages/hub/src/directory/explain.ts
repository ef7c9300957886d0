/** Explains why a token request would be allowed or refused, step by step, without making a token. */

import {
  formatRepoRef,
  isRefusal,
  parseRevision,
  type Refusal,
  refuse,
  scopes,
  type UnixSeconds,
} from '@latchkey/protocol'
import { z } from 'zod'
import type { CallerRecord } from '../identity/caller.ts'
import { identifyCaller, whyInvalid } from '../identity/identify-caller.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import { isPermit, type Permit } from '../permission/permit.ts'
import type { Step } from '../permission/tell.ts'
import { type AccountRow, findAccount, noAccount } from './account-rows.ts'
import { grants } from './grants.ts'
import {
  findHubToken,
  groupsOf,
  hubTokenId,
  hubTokenKind,
  noHubToken,
  type OwnedHubTokenRow,
} from './hub-token-view.ts'
import { operation } from './operation.ts'
import { checked, name, repository } from './words.ts'

export const explain = operation({
  summary: 'Explain why an account would get a storage token, or why not.',
  input: z.strictObject({
    scope: z.enum(scopes).describe('What the storage token would allow: read or write.'),
    repository: repository.describe('The repository, such as models/acme/bert.'),
    revision: checked((text) => text !== '' && text.length <= 1024, 'must be a revision')
      .optional()
      .describe('A branch, tag, full ref name or full hash; without one, the default branch.'),
    account: name.describe('The account that would ask.'),
    hubToken: hubTokenId
      .optional()
      .describe('The id of the hub token it would ask with; without one, as if by a write token.'),
  }),
  output: z.object({
    allowed: z.boolean(),
    code: z.string().optional().describe('The code of the refusal.'),
    detail: z.string(),
    steps: z.array(z.object({ step: z.string(), passed: z.boolean(), detail: z.string() })),
  }),
  async run({ tables, now, findRepository, policy }, { scope, repository: repo, ...asked }) {
    const account = await findAccount(tables, asked.account)
    if (account === undefined) return noAccount(asked.account)
    const { hubToken: id } = asked
    const token = id === undefined ? undefined : await findHubToken(tables, id)
    if (id !== undefined && token === undefined) return noHubToken()
    if (token !== undefined && token.account_id !== account.id) return otherAccount(account.name)

    const record = token === undefined ? supposed(account) : recordOf(account, token)
    const steps: Step[] = [hubTokenStep(record, now, token === undefined)]
    const caller = identifyCaller(record, now)
    if (isRefusal(caller)) return answer(caller, steps)

    const { revision: text } = asked
    const revision = text === undefined ? ({ kind: 'default' } as const) : parseRevision(text)
    const facts = await findRepository(account.id, repo, revision)
    const wanted = { caller, repo, repository: facts, scope, revision }
    const decision = decidePermission(wanted, policy, (step, passed, detail) =>
      steps.push({ step, passed, detail: detail() }),
    )
    return answer(decision, steps)
  },
})

function answer(decision: Permit | Refusal, steps: Step[]) {
  if (!isPermit(decision)) {
    return { allowed: false, code: decision.refused, detail: decision.detail, steps }
  }
  const { scope, repo, ref, commit } = decision.permitted
  const detail = `A ${scope} token for ${formatRepoRef(repo)}@${ref.name} would be issued, at commit ${commit}.`
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
  return { ...accountPart(account), hubTokenId: 'supposed', kind: 'write', grants: [] }
}

function recordOf(account: AccountRow, token: OwnedHubTokenRow): CallerRecord {
  const verbGroups = groupsOf(token)
  return {
    ...accountPart(account),
    hubTokenId: token.id,
    kind: hubTokenKind.parse(token.kind),
    grants: grants.parse(JSON.parse(token.grants)),
    ...(verbGroups === undefined ? {} : { verbGroups }),
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
  )
}
