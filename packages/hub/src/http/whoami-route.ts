import type { IncomingMessage } from 'node:http'
import type { Whoami } from '@latchkey/admin-api'
import { type AccountId, type HubTokenId, isRefusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { serveLogged } from '@latchkey/service/http/call'
import type { Handle } from '@latchkey/service/http/routes'
import { invalidHubToken } from '../identity/identify-caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { Identify } from './identify.ts'

/** The account of a hub token, and its namespaces. */
export interface WhoamiFacts {
  readonly accountId: AccountId
  readonly whoami: Whoami
  readonly namespaces: readonly { readonly name: string; readonly role: string }[]
}

export interface WhoamiDeps {
  readonly identify: Identify
  readonly clientAddress: ClientAddress
  /** Undefined when the hub token was taken away after it was recognised. */
  find(hubTokenId: HubTokenId): Promise<WhoamiFacts | undefined>
  readonly log: HubLog
  readonly metrics: Metrics
}

export function serveWhoami(deps: WhoamiDeps): Handle {
  return serveFacts(deps, ({ whoami }) => whoami)
}

/** As clients of Hugging Face read it: `hf auth login` asks it after each login. */
export function serveHuggingFaceWhoami(deps: WhoamiDeps): Handle {
  return serveFacts(deps, ({ accountId: id, whoami: { account, hubToken }, namespaces }) => ({
    ...{ type: 'user', id, name: account.name, fullname: account.name },
    ...{ isPro: false, canPay: false },
    orgs: namespaces.map(({ name, role }) => ({
      ...{ type: 'org', name, fullname: name, roleInOrg: role, isEnterprise: false },
    })),
    auth: {
      type: 'access_token',
      accessToken: {
        // Without it, the client files a device login under the name of the account.
        ...(hubToken.origin === 'device' ? {} : { displayName: hubToken.name }),
        role: hubToken.kind === 'fine-grained' ? 'fineGrained' : hubToken.kind,
        createdAt: hubToken.createdAt,
      },
    },
  }))
}

function serveFacts(
  { clientAddress, log, metrics, ...deps }: WhoamiDeps,
  show: (facts: WhoamiFacts) => object,
): Handle {
  const identify = (request: IncomingMessage) => tellWhose(request, deps)
  return async (call) => {
    const result = await serveLogged(call, {
      clientAddress,
      identify,
      work: async (facts: WhoamiFacts) => facts,
      log(result, caller, end) {
        const code = isRefusal(result) ? result.code : undefined
        metrics.whoamiAsked(code ?? 'told')
        log('whoami_requested', {
          outcome: code === undefined ? 'told' : 'refused',
          code,
          subject: caller?.accountId,
          account: caller?.accountName,
          hubToken: caller?.hubTokenId,
          ...end,
        })
      },
    })
    return isRefusal(result) ? result : { body: JSON.stringify(show(result)) }
  }
}

async function tellWhose(
  request: IncomingMessage,
  { identify, find }: Pick<WhoamiDeps, 'identify' | 'find'>,
): Promise<Outcome<WhoamiFacts>> {
  const { result, ...logFields } = await identify(request)
  if (isRefusal(result)) return { result, ...logFields }
  const found = await find(result.caller.hubTokenId)
  return { result: found ?? invalidHubToken(), ...logFields }
}
