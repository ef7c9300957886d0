/** Forwards admitted requests to another server, and its answers to the clients. Needs undici. */

export { connectTo, type UpstreamPlace } from './connect.ts'
export { type Forward, forwarder } from './exchange.ts'
export type { Ending, Handover, Upstream, UpstreamRefusals } from './handover.ts'
export {
  clientHeaders,
  type ForwardedRequest,
  forwardedHeaders,
  requestHeaders,
} from './passed-headers.ts'
