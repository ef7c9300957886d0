/** A hub of a benchmark that profiles itself between two messages. */

import '../issue/hub-process.ts'
import { startProfile } from './profile.ts'

let stop: Awaited<ReturnType<typeof startProfile>> | undefined

process.on('message', async (message) => {
  if (message === 'start profile') {
    stop = await startProfile()
    process.send?.('profile started')
  }
  if (message === 'stop profile') process.send?.(await stop?.())
})
