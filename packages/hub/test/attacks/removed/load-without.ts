/** Preloaded into the process of a test: it loads the sources without the check that REMOVED_CHECK names. */

import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { removedChecks } from './checks.ts'
import { withoutCheck } from './removed-check.ts'

const removed = removedChecks.find(({ check }) => check === process.env['REMOVED_CHECK'])
if (removed === undefined) throw new Error('REMOVED_CHECK names no check')

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith('file:') || loaded.source == null) return loaded
    const source = String(loaded.source)
    const changed = withoutCheck(removed, fileURLToPath(url), source)
    return changed === source ? loaded : { ...loaded, source: changed }
  },
})
