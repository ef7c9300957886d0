/** The hub: accounts, repositories, refs and hub tokens in; storage tokens out. */

export { addressOf, hasBody } from './admin/verb-over-http.ts'
export { claimForDemo, refuseDemoData } from './data/demo-mark.ts'
export { type OpenStoreOptions, openStore } from './data/open-store.ts'
export * from './directory/directory.ts'
export { readInput } from './directory/read-input.ts'
export * from './directory/verb.ts'
export { parseMasterKey } from './keys/master-key.ts'
export type { HubSettings } from './settings.ts'
export { type Beside, type RunningHub, type Surroundings, startHub } from './start-hub.ts'
export type { Store } from './stores/store.ts'
export { runVerb } from './verbs/run-verb.ts'
export { verbs } from './verbs/verbs.ts'
