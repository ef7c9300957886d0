/** The gate as middleware for Hono. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Context, MiddlewareHandler, Next } from 'hono'
import type { Gate } from '../check/create-gate.ts'
import type { Grant } from '../grant/grant.ts'
import {
  type AdmittedRequest,
  type AuthenticatorOptions,
  authenticatorTypes,
} from './authenticate.ts'
import { guardFetch } from './fetch.ts'

/** The variables of an app behind `honoGate`. Public routes have neither. */
export interface GateEnv {
  readonly Variables: {
    readonly grant: Grant
    /** The gate's admission of this request. */
    readonly admitted: AdmittedRequest
  }
}

export interface HonoGateOptions extends AuthenticatorOptions {
  /**
   * Where forged tokens are counted: the address of the client, as the runtime or a trusted proxy tells it.
   *
   * @default () => undefined
   */
  readonly addressOf?: (context: Context) => string | undefined
}

const types: OptionTypes<HonoGateOptions> = { ...authenticatorTypes, addressOf: 'function' }

/**
 * Middleware that calls the next handler for admitted requests and for public routes, and responds to the others. Use it
 * before all other middleware and routes. If the token of a request is revoked, the request ends as with `guardFetch`.
 *
 * @example
 * ```ts
 * const app = new Hono<GateEnv>()
 * app.use(honoGate(gate))
 * app.get('/r/:repo/:ref/whoami', (context) => context.text(context.get('grant').subject))
 * ```
 */
export function honoGate(gate: Gate, options: HonoGateOptions = {}): MiddlewareHandler<GateEnv> {
  refuseOptions('honoGate', options, types, CannotStart)
  const { addressOf, ...others } = options
  const contexts = new WeakMap<Request, Context>()
  const guarded = guardFetch<[Context<GateEnv>, Next]>(
    gate,
    async (request, admitted, context, next) => {
      context.req.raw = request
      context.set('admitted', admitted)
      context.set('grant', admitted.grant)
      await next()
      // The response is then the refusal, which must not be discarded as one of the handler.
      return admitted.signal.aborted ? new Response() : context.res
    },
    {
      ...others,
      addressOf(request) {
        const context = contexts.get(request)
        return context && addressOf?.(context)
      },
      async publicHandler(_request, context, next) {
        await next()
        return context.res
      },
    },
  )
  return async function latchkeyGate(context, next) {
    const request = context.req.raw
    contexts.set(request, context)
    const response = await guarded(request, context, next)
    if (context.res === response) return
    // Hono would add the headers of the response before.
    context.res = undefined
    context.res = response
  }
}
