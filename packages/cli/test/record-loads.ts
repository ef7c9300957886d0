/** Preloaded into a process: writes down every module it loads, in the file that LOADS_FILE names. */

import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loads: string[] = []

registerHooks({
  load(url, context, next) {
    loads.push(url)
    return next(url, context)
  },
})

process.once('exit', () => writeFileSync(process.env['LOADS_FILE'] ?? '', loads.join('\n')))
