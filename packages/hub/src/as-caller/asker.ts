/** The caller of one request: every question of the request is asked as this caller. */

import type { CallerRequest } from '@latchkey/admin-api/forge-port'
import { type AnyId, isRefusal, type Refusal, type Secret } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { anonymousOwner } from '@latchkey/service/limits/shares'
import type { Caller } from '../identity/caller.ts'
import { readSent } from '../identity/read-credential.ts'
import type { About, Credentials, Facts, Outcome } from '../issue/authenticate.ts'
import type { GrantedRequest, IssueDeps, TokenTarget } from '../issue/issue-token.ts'
import { authenticateCurrently, checkFresh } from '../issue/with-fresh-facts.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import type { AsCallerDeps } from './deps.ts'

export interface Asker {
  readonly requestId: AnyId
  readonly operation: string | undefined
  readonly credentials: Credentials
  /** The payer of the work: the account of the caller once it is known, or the network of the client. */
  payer(): string
  /** For the log. */
  clientAddress(): string
  /** As a token request would be answered. */
  check(target: TokenTarget): Promise<Outcome<GrantedRequest>>
  /** A caller with a name, by facts that have every change before the question. */
  current(about: About): Promise<Facts | Refusal>
  /** The same, also for an anonymous caller where the hub admits one. */
  anybody(about: About): Promise<Facts | Refusal>
  /** The same, on every hub: for what tells nothing of a repository. */
  admit(about: About): Promise<Facts | Refusal>
  /** A decision that a change may rest on: by current facts, and never for an anonymous caller. */
  decideCurrently(target: TokenTarget): Promise<Permit | Refusal>
}

export interface LinkedRequest extends CallerRequest {
  /** Whether an earlier question of the request was counted. */
  readonly isCounted?: boolean
  /** The id of the change, which tells later what became of it. */
  readonly operation?: string
}

export function askAs(
  { address, authorization, ticket, requestId, operation, isCounted: wasCounted }: LinkedRequest,
  { issuing, clock, tickets }: Pick<AsCallerDeps, 'issuing' | 'clock' | 'tickets'>,
): Asker {
  const counting: IssueDeps = { ...issuing, isOfSession: ticket !== undefined }
  const network = () => networkOf(address)
  const now = clock()
  const values = ticket === undefined ? authorization : [sessionBehind(tickets.read(ticket, now))]
  const credentials = { sent: readSent(values), address: network, now }
  const unlimited = {
    ...counting.limits,
    forHubToken: () => undefined,
    forAnonymous: () => undefined,
  }
  const quiet: IssueDeps = { ...counting, limits: unlimited }
  let isCounted = wasCounted === true
  let account: string | undefined
  const note = (caller: Caller | undefined) => {
    if (caller !== undefined && caller.kind !== 'anonymous') account = caller.accountId
  }
  /** Counts the first time that it is asked for: a request may ask for many things. */
  const countOnce = () => {
    const next = isCounted ? quiet : counting
    isCounted = true
    return next
  }
  const anybody = async (about: About, more: Partial<IssueDeps> = {}) => {
    const request = { ...credentials, about }
    const { result, caller } = await authenticateCurrently(request, { ...countOnce(), ...more })
    note(caller)
    return result
  }
  const current = (about: About) => anybody(about, { admitsAnonymous: false })
  return {
    requestId,
    operation,
    credentials,
    clientAddress: () => address,
    payer: () => account ?? anonymousOwner(credentials.address()),
    async check(target) {
      const outcome = await checkFresh({ ...credentials, path: target }, countOnce())
      note(outcome.caller)
      return outcome
    },
    current,
    anybody: (about) => anybody(about),
    admit: (about) => anybody(about, { admitsAnonymous: true }),
    async decideCurrently({ repo, scope, revision }) {
      const facts = await current({ repo, revision })
      if (isRefusal(facts)) return facts
      const { caller, asOf, repository } = facts
      return decidePermission({ caller, asOf, repo, repository, scope, revision }, counting.policy)
    },
  }
}

/** A ticket that is over is a credential that no session has. */
function sessionBehind(session: Secret<'hub-token'> | undefined): string {
  return `Bearer ${session?.reveal() ?? ''}`
}
