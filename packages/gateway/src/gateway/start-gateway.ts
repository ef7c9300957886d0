/** The entry point: settings become a running gate, as a gateway or as a forward-auth endpoint. */

import { createGate } from '@latchkey/gate'
import { cooldownSeconds } from '@latchkey/gate/hub-keys'
import { keyFailure, withheldBound } from '@latchkey/gate/hub-link'
import { refuseOptions } from '@latchkey/protocol'
import { deadlines } from '@latchkey/service/http/deadlines'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  type ProcessContext,
  processContextFrom,
  processContextTypes,
  stopOnce,
} from '@latchkey/service/machine/process-context'
import { createLog } from '@latchkey/service/observe/log'
import { chooseWork } from './choose-work.ts'
import { createMetrics, type GatewayContext, levelOf } from './gateway-context.ts'
import { openListeners, shownRevocations } from './open-listeners.ts'
import { type GatewaySettings, settingTypesFor } from './settings.ts'

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
  overrides: Partial<ProcessContext> = {},
): Promise<RunningGateway> {
  refuseOptions('startGateway', settings, settingTypesFor(settings), CannotStart)
  refuseOptions('surroundings of startGateway', overrides, processContextTypes, CannotStart)
  const context = contextOf(settings, processContextFrom(overrides))
  const { gate, log } = context
  const { work, listeners } = await open(context).catch((error: unknown) => {
    gate.close()
    throw error
  })
  const lookForKeys = () => (gate.isReady() ? undefined : gate.refreshKeys())
  // The first request need not wait for the keys, and a gate without requests notices that its hub is back.
  const timer = setInterval(lookForKeys, cooldownSeconds * 1000)
  const endSweeps = context.deadlines.start()
  await Promise.all([lookForKeys(), gate.revocations.refresh()])
  const { hub, issuer, casUrl } = settings
  const { normalSeconds } = gate.revocations.bounds
  const withheldSeconds = withheldBound(shownRevocations(context))
  log('gate_started', {
    ...{ url: listeners.url, hub, issuer, casUrl, work: settings.work.kind },
    ...{
      revocationBounds: { normalSeconds, withheldSeconds },
      whenStale: settings.revocations.whenStale,
    },
  })
  return {
    url: listeners.url,
    operationsUrl: listeners.operationsUrl,
    isReady: gate.isReady,
    stop: stopOnce('gate', context, async (deadlineSeconds) => {
      await listeners.stop(deadlineSeconds)
      clearInterval(timer)
      gate.close()
      endSweeps()
      await work.close()
      // Requests that were cut are logged before the last line.
      await listeners.settled()
    }),
  }
}

async function open(context: GatewayContext) {
  const work = chooseWork(context)
  return { work, listeners: await openListeners(context, work) }
}

function contextOf(settings: GatewaySettings, surroundings: ProcessContext): GatewayContext {
  const { clock, stopwatch, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const gate = createGate({
    hubUrl: settings.hub,
    issuer: settings.issuer,
    allowPlainHttp: settings.allowPlainHttp,
    onKeyFailure: (error) => log('keys_not_fetched', keyFailure(error)),
    onRevocationFailure: (error) => log('revocations_not_fetched', keyFailure(error)),
    ...settings.revocations,
    casUrl: settings.casUrl,
    ...(settings.isolation === undefined ? {} : { isolation: settings.isolation }),
    leewaySeconds: settings.leewaySeconds,
    rules: settings.rules,
    allowPaths: settings.allowPaths,
    failuresPerMinute: settings.limits.failuresPerMinute,
    clock,
  })
  const timeouts = settings.work.kind === 'forward' ? settings.work.timeouts : noTimeouts
  const watch = deadlines(timeouts, stopwatch)
  const metrics = createMetrics(() => watch.watching, shownRevocations({ gate, settings }))
  return { ...surroundings, settings, gate, log, metrics, deadlines: watch }
}

const noTimeouts = {
  idleSeconds: Number.POSITIVE_INFINITY,
  totalSeconds: Number.POSITIVE_INFINITY,
  minBytesPerSecond: 0,
}
