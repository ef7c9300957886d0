/** The hub: accounts, repositories, refs and hub tokens in; storage tokens out. */

export type { AmongWorkers } from './among-workers.ts'
export type * from './forge-port/answers.ts'
export { type ForgeRules, usualForgeRules } from './forge-port/forge-rules.ts'
export type { Forge, ForgeSurroundings, OpenForge } from './hub-context.ts'
export { makeEmbeddedCredential } from './identity/embedded-credential.ts'
export { parseMasterKey } from './keys/master-key.ts'
export * from './management.ts'
export { whatItSees } from './permission/what-it-sees.ts'
export type { HubSettings } from './settings.ts'
export { type Embedded, type RunningHub, startHub } from './start-hub.ts'
