/** The forward-auth endpoint as a handler, for a program that asks a gate of its own. */

export {
  type ForwardAuthEndpoint,
  type ForwardAuthOptions,
  forwardAuth,
  forwardAuthEndpoint,
} from './forward-auth.ts'
export { type ForwardAuthProxy, forwardAuthProxies } from './original-request.ts'
