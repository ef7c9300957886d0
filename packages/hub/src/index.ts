/** The hub: accounts, repositories, refs and hub tokens in; storage tokens out. */

export type { ForgeAddress } from './forwarding/forge-place.ts'
export { makeEmbeddedCredential } from './identity/embedded-credential.ts'
export { parseMasterKey } from './keys/master-key.ts'
export * from './management.ts'
export { whatItSees } from './permission/decide-permission.ts'
export type { HubSettings } from './start/settings.ts'
export {
  type EmbeddedCredential,
  type HubSurroundings,
  type RunningHub,
  startHub,
} from './start/start-hub.ts'
export type { IssuerSettings } from './trusted-publishers/issuer-settings.ts'
