import { constants } from 'node:os'
import { exitCodes } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { whenNpmEnds } from '../serve/watch-npm.ts'

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

interface Stoppable {
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

type LastLine = () => string | undefined

/** A process runs one command, so there is one last line. */
let lastLineOf: LastLine = () => undefined

/** `lastLine` tells what was kept of a transfer, and how it goes on. */
export function endOnSignals(lastLine: LastLine = () => undefined): void {
  lastLineOf = lastLine
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.off(signal, leave).once(signal, leave)
  }
}

function leave(signal: NodeJS.Signals): void {
  const line = lastLineOf()
  if (line !== undefined) tell(`latchkey: ${line}`)
  process.exit(128 + constants.signals[signal])
}
