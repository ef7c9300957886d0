/** The entry point: settings become a running forge, a process of its own. */

import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { clientAddress, forwardedId } from '@latchkey/service/http/addresses'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { ExclusiveLock } from '@latchkey/service/machine/exclusive-lock'
import {
  type ProcessContext,
  processContextFrom,
  processContextTypes,
  stopOnce,
} from '@latchkey/service/machine/process-context'
import { systemTimers } from '@latchkey/service/machine/time'
import { createLog, failureOf } from '@latchkey/service/observe/log'
import { type MetricsPage, metricsKit } from '@latchkey/service/observe/metrics'
import { lockForge } from '../commits/markers.ts'
import { findGit, GitUnavailable } from '../git/index.ts'
import type { LinkPlace } from '../link/ask-link.ts'
import { forgeIdIn } from '../link/forge-id.ts'
import { HubUnavailable } from '../link/hub-unavailable.ts'
import { type LinkedHub, linkedHub } from '../link/linked-hub.ts'
import { type KeptOpen, keepOpen } from './keep-open.ts'
import { levelOf } from './log-events.ts'
import { openForge } from './open-forge.ts'
import { openListeners } from './open-listeners.ts'
import { type ForgeSettings, settingTypes } from './settings.ts'

export interface RunningForge {
  readonly url: string
  /** The URL of the listener for `/healthz`, `/readyz` and `/metrics`, if they have a separate one. */
  readonly operationsUrl: string | undefined
  readonly metrics: MetricsPage
  isReady(): Promise<boolean>
  /** Why it cannot serve, in a sentence for the operator; undefined if it can. */
  findFault(): string | undefined
  /** In-flight requests finish; the promise settles within the deadline of the settings. */
  stop(): Promise<void>
}

/** The dependencies of a forge on its machine. */
export interface ForgeSurroundings extends ProcessContext {
  readonly connect: (place: LinkPlace) => LinkedHub
}

const aroundTypes: OptionTypes<ForgeSurroundings> = { ...processContextTypes, connect: 'function' }

/** Throws CannotStart without git, beside another forge on the data directory, and where the hub has another forge. */
export async function startForge(
  settings: ForgeSettings,
  overrides: Partial<ForgeSurroundings> = {},
): Promise<RunningForge> {
  refuseOptions('startForge', settings, settingTypes, CannotStart)
  refuseOptions('surroundings of startForge', overrides, aroundTypes, CannotStart)
  const { connect = linkedHub } = overrides
  const surroundings = { ...processContextFrom(overrides), connect }
  await findGit(settings.gitProgram).catch((error) => {
    throw error instanceof GitUnavailable ? new CannotStart(error.message) : error
  })
  const lock = lockForge(settings.data)
  try {
    return await runForge(settings, { ...surroundings, lock })
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Locked extends ForgeSurroundings {
  readonly lock: ExclusiveLock
}

async function runForge(
  settings: ForgeSettings,
  { clock, stopwatch, randomBytes, lines, connect, lock }: Locked,
): Promise<RunningForge> {
  const { trustedProxies, data, publicUrl, gitProgram, gitBounds, bounds, bodyLimits } = settings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const logFailure = (error: unknown, requestId?: string) =>
    log('forge_failed', { requestId, ...failureOf(error) })
  const metrics = metricsKit()
  const forgeId = await forgeIdIn(data, randomBytes)
  const hub = connect({ ...settings.hub, forgeId, randomBytes })
  const open = () =>
    openForge({
      ...{ hub, data, publicUrl, gitProgram, gitBounds, bounds, bodyLimits },
      ...{ clock, randomBytes, metrics, logFailure },
      clientAddress: clientAddress(trustedProxies),
      requestIdOf: forwardedId(trustedProxies),
    })
  let opening: KeptOpen | undefined
  const findFault = () => (opening === undefined ? 'The forge is starting.' : opening.findFault())
  const isReady = async () => findFault() === undefined
  const listeners = await openListeners(settings, {
    ...{ stopwatch, randomBytes, logFailure },
    watched: { metrics, isReady, notReady: async () => findFault() ?? 'The forge is ready.' },
    forge: () => opening?.forge(),
  })
  try {
    opening = await keepOpen({
      open,
      findFault: () => faultOf(hub),
      timers: systemTimers,
      onChange: (reason) =>
        reason === undefined ? log('forge_ready', {}) : log('forge_not_ready', { reason }),
      onFailure: logFailure,
    })
  } catch (error) {
    await listeners.stop(0)
    await hub.close()
    throw error
  }
  const { stop: close } = opening
  const { url, operationsUrl } = listeners
  log('forge_started', { url, publicUrl })
  return {
    ...{ url, operationsUrl, metrics, isReady, findFault },
    stop: stopOnce('forge', { log, lines, settings }, async (deadlineSeconds) => {
      await listeners.stop(deadlineSeconds)
      await close()
      await hub.close()
      lock.release()
    }),
  }
}

/** Asks the hub something short. */
async function faultOf(hub: LinkedHub): Promise<string | undefined> {
  try {
    await hub.deletedAmong([])
    return undefined
  } catch (error) {
    if (error instanceof CannotStart) throw error
    if (error instanceof HubUnavailable) return error.message
    return `The forge cannot ask its hub. ${error instanceof Error ? error.message : 'It gives no reason.'}`
  }
}
