/** The entry point: settings become a running gate, as a gateway or as a forward-auth endpoint. */

import { deadlines } from '@latchkey/service/deadlines'
import { createLog } from '@latchkey/service/log'
import { stopOnce } from '@latchkey/service/stop-once'
import { type Surroundings, surroundingsFrom } from '@latchkey/service/surroundings'
import { createGate } from '../check/create-gate.ts'
import { cooldownSeconds } from '../keys/hub-keys.ts'
import { chooseWork } from './choose-work.ts'
import type { Inside } from './inside.ts'
import { levelOf } from './log-events.ts'
import { createMetrics } from './metrics.ts'
import { openDoors } from './open-doors.ts'
import type { GatewaySettings } from './settings.ts'

export type { GatewaySettings } from './settings.ts'

export interface RunningGateway {
  readonly url: string
  readonly operationsUrl: string | undefined
  /** Whether there are keys to verify with. */
  isReady(): boolean
  /** In-flight requests finish; the promise settles within the deadline of the settings. */
  stop(): Promise<void>
}

export async function startGateway(
  settings: GatewaySettings,
  given: Partial<Surroundings> = {},
): Promise<RunningGateway> {
  const inside = open(settings, surroundingsFrom(given))
  const { gate, log, lines } = inside
  const work = chooseWork(inside)
  const doors = await openDoors(inside, work)
  const lookForKeys = () => (gate.isReady() ? undefined : gate.refreshKeys())
  // A first answer need not wait for the keys, and a gate nobody asks notices when its hub is back.
  const timer = setInterval(lookForKeys, cooldownSeconds * 1000)
  const endSweeps = inside.deadlines.start()
  await lookForKeys()
  const { hub, issuer, casUrl } = settings
  log('gate_started', { url: doors.main.url, hub, issuer, casUrl, work: settings.work.kind })
  return {
    url: doors.main.url,
    operationsUrl: doors.operations?.url,
    isReady: gate.isReady,
    stop: stopOnce('gate', {
      ...{ log, lines, deadlineSeconds: settings.stopDeadlineSeconds },
      async close(deadlineSeconds) {
        const stopping = [doors.main, doors.operations].map((door) => door?.stop(deadlineSeconds))
        await Promise.all(stopping)
        clearInterval(timer)
        endSweeps()
        await work.close()
        // Requests that were cut are logged before the last line.
        await doors.settled()
      },
    }),
  }
}

function open(settings: GatewaySettings, surroundings: Surroundings): Inside {
  const { clock, stopwatch, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const gate = createGate({
    hubUrl: settings.hub,
    issuer: settings.issuer,
    allowPlainHttp: settings.allowPlainHttp,
    onKeyFailure: (error) => log('keys_not_fetched', reasonOf(error)),
    casUrl: settings.casUrl,
    ...(settings.isolation === undefined ? {} : { isolation: settings.isolation }),
    leewaySeconds: settings.leewaySeconds,
    rules: settings.rules,
    failuresPerMinute: settings.limits.failuresPerMinute,
    clock,
  })
  const timeouts = settings.work.kind === 'forward' ? settings.work.timeouts : noTimeouts
  const watch = deadlines(timeouts, stopwatch)
  const metrics = createMetrics(() => watch.watching)
  return { ...surroundings, settings, gate, log, metrics, deadlines: watch }
}

const noTimeouts = {
  idleSeconds: Number.POSITIVE_INFINITY,
  totalSeconds: Number.POSITIVE_INFINITY,
  leastBytesPerSecond: 0,
}

/** The reason a fetch failed hides in its cause. */
function reasonOf(error: unknown): { reason: string } {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return { reason: cause instanceof Error ? `${message}: ${cause.message}` : message }
}
