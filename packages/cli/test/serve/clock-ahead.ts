/** Loaded into a hub and its storage: every SIGUSR2 sets the clock of the process ahead by an hour. */

import { isMainThread } from 'node:worker_threads'

const { now } = Date
const hourMs = 3_600_000
let aheadMs = 0
Date.now = () => now() + aheadMs

if (isMainThread) {
  process.on('SIGUSR2', () => {
    aheadMs += hourMs
    process.stderr.write('an hour ahead\n')
  })
}
