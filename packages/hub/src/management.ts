/** The directory for those who manage it: its verbs and its store, and nothing that listens. */

export { addressOf, hasBody } from './admin/verb-over-http.ts'
export { claimForDemo, refuseDemoData } from './data/demo-mark.ts'
export { type OpenStoreOptions, openStore } from './data/open-store.ts'
export * from './directory/directory.ts'
export { readInput } from './directory/read-input.ts'
export * from './directory/verb.ts'
export {
  type AdminCall,
  changesIn,
  endOf,
  logAdminCall,
  type Target,
  targetOf,
} from './operations/admin-call.ts'
export { levelOf } from './operations/log-events.ts'
export type { Store } from './stores/store.ts'
export { runVerb } from './verbs/run-verb.ts'
export { verbs } from './verbs/verbs.ts'
