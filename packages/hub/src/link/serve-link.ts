/** Serves one route of the link: recognises the storage, lets the route answer, writes one line in the log. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Call } from '@latchkey/service/http/call'
import type { Handle } from '@latchkey/service/http/serve-routes'
import type { LoggedCaller } from '../issue/authenticate.ts'
import { type Actor, actorOf, endOf } from '../operations/admin-call.ts'
import { embeddedActor, type LinkRoute } from '../operations/link-call.ts'
import type { StorageCaller } from './identify-storage.ts'
import { hubTokenIdOf } from './link-origin.ts'
import type { LinkPorts } from './ports.ts'

export interface LinkQuestion {
  readonly call: Call
  readonly caller: StorageCaller
  /** Asks who calls again: rights that were lost meanwhile are lost. */
  identifyAgain(): Promise<StorageCaller | Refusal>
}

export type AnswerLink = (question: LinkQuestion, ports: LinkPorts) => Promise<object | Refusal>

export function serveLink(ports: LinkPorts) {
  return (route: LinkRoute, answer: AnswerLink): Handle =>
    async (call) => {
      const startedAt = performance.now()
      const { request, requestId } = call
      const identified = await call.attempt(() => ports.identify(request))
      const {
        result: caller,
        caller: known,
        refusedCaller,
      } = isRefusal(identified) ? { result: identified } : identified
      const identifyAgain = async () => (await ports.identify(request)).result
      const answered = isRefusal(caller)
        ? caller
        : await call.attempt(() =>
            inSlot(ports.takeSlot(hubTokenIdOf(caller)), () =>
              answer({ call, caller, identifyAgain }, ports),
            ),
          )
      ports.logLinkCall({
        route,
        actor: caller === 'embedded' ? embeddedActor : actorIn(known ?? refusedCaller),
        ...endOf(answered),
        address: ports.clientAddress(request),
        requestId,
        milliseconds: Math.round((performance.now() - startedAt) * 1000) / 1000,
      })
      return isRefusal(answered) ? answered : { body: JSON.stringify(answered) }
    }
}

async function inSlot(
  release: (() => void) | undefined,
  work: () => Promise<object | Refusal>,
): Promise<object | Refusal> {
  if (release === undefined) return tooManyAtOnce
  try {
    return await work()
  } finally {
    release()
  }
}

const tooManyAtOnce = refuse(
  'rate_limited',
  'This storage has too many questions under way. Wait for their answers, then ask again.',
  { retryAfterSeconds: 1 },
)

/** A caller that was not recognised has no name. */
function actorIn(caller: LoggedCaller | undefined): Actor {
  return caller === undefined ? {} : actorOf(caller)
}
