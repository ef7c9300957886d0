/** Ends the process when it is told to: the first signal lets requests finish, the second does not wait. */

import { exitCodes } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { whenNpmEnds } from '../serve/watch-npm.ts'

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

export interface Stoppable {
  stop(): Promise<void>
}

export function stopOnSignals(service: Stoppable): void {
  let stopping = false
  const stop = async (signal: keyof typeof numbers) => {
    if (stopping) process.exit(128 + numbers[signal])
    stopping = true
    tell('stopping: running requests may finish; a second signal stops at once')
    await service.stop()
    process.exit(exitCodes.done)
  }
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  whenNpmEnds(() => stop('SIGTERM'))
}
