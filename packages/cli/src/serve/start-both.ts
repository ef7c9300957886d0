/** Starts a hub, and its storage and its forge in processes of their own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { systemTimers } from '@latchkey/service/machine/time'
import { type DrainedLines, standardOutput } from '@latchkey/service/observe/line-writer'
import { createLog } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { localUrl } from '../configuration/addresses.ts'
import type { ForgeBeside } from '../configuration/forge-settings.ts'
import { tell } from '../output/tell.ts'
import { collectAtRest } from './collect-at-rest.ts'
import { type CompanionKind, forgeKind, levelOf, storageKind } from './companions.ts'
import { forgeProtocol } from './forge-messages.ts'
import {
  type CompanionProcess,
  type KeptCompanion,
  keepCompanion,
  launchCompanion,
} from './keep-companion.ts'
import { portsOf, refuseTakenPorts } from './refuse-taken-ports.ts'
import { storageProtocol } from './storage-messages.ts'

export interface Running {
  readonly hub: Pick<RunningHub, 'url'>
  readonly storage: { readonly url: string } | undefined
  /** Whether there is a forge, beside the hub or elsewhere. */
  readonly servesRepositories?: boolean
  /** The forge first, then the storage: each asks the next ones until its last request is done. */
  stop(): Promise<void>
}

export interface Companions {
  readonly storage: StorageSettings | undefined
  readonly forge: ForgeBeside | undefined
}

export async function startBoth(settings: HubSettings, companions: Companions): Promise<Running> {
  const { storage } = companions
  const forge = companions.forge && (await withGit(companions.forge))
  await refuseTakenPorts(settings.data, portsOf(settings, { storage, forge: forge?.settings }))
  const lines = standardOutput()
  collectAtRest()
  const running: { storage?: KeptCompanion; forge?: KeptCompanion } = {}
  const watched = (name: keyof typeof running) => ({ [name]: inPlaceOf(() => running[name]) })
  const hub = await startHub(settings, {
    lines,
    companions: { ...(storage && watched('storage')), ...(forge && watched('forge')) },
    ...(forge && {
      forge: { url: () => (running.forge?.isServing() ? running.forge.url : undefined) },
    }),
  })
  const stop = async () => {
    await running.forge?.stop()
    await running.storage?.stop()
    await hub.stop()
  }
  try {
    if (storage !== undefined) running.storage = await keepStorage(hub, storage, lines)
    if (forge !== undefined) running.forge = await keepForge(hub, forge, lines)
  } catch (error) {
    await stop()
    throw error
  }
  const servesRepositories = forge !== undefined || settings.forgeUrl !== undefined
  return { hub, storage: running.storage, servesRepositories, stop }
}

/** Without git there is no forge, and everything else runs. */
async function withGit(forge: ForgeBeside): Promise<ForgeBeside | undefined> {
  const { findGit, GitUnavailable } = await import('@latchkey/forge/git')
  try {
    await findGit()
    return forge
  } catch (error) {
    if (!(error instanceof GitUnavailable)) throw error
    tell(`warning: the hub serves no repositories: ${error.message}`)
    return undefined
  }
}

function keepStorage(
  hub: Pick<RunningHub, 'url' | 'embedded'>,
  settings: StorageSettings,
  lines: DrainedLines,
): Promise<KeptCompanion> {
  // Both are on this machine, whatever its address is.
  const place = { hubUrl: localUrl(hub.url), allowPlainHttp: true }
  const order = { ...place, credential: hub.embedded.credential }
  const entry = new URL('./storage-child.ts', import.meta.url)
  return keep(storageKind, { settings, lines }, (port = settings.port) =>
    launchCompanion({
      ...{ kind: storageKind, entry, protocol: storageProtocol, lines },
      order: { ...order, settings: { ...settings, port } },
    }),
  )
}

function keepForge(
  { url, embedded }: Pick<RunningHub, 'url' | 'embedded'>,
  { settings, ...more }: ForgeBeside,
  lines: DrainedLines,
): Promise<KeptCompanion> {
  const place = { hubUrl: localUrl(url), allowPlainHttp: true }
  const hub = { ...place, credential: embedded.forge }
  const entry = new URL('./forge-child.ts', import.meta.url)
  return keep(forgeKind, { settings, lines }, (port = settings.port) =>
    launchCompanion({
      ...{ kind: forgeKind, entry, protocol: forgeProtocol, lines },
      order: { ...more, settings: { ...settings, hub, port } },
    }),
  )
}

interface Keeping {
  readonly settings: Pick<HubSettings, 'log'>
  readonly lines: DrainedLines
}

function keep(
  kind: CompanionKind,
  { settings, lines }: Keeping,
  launch: (port?: number) => CompanionProcess,
): Promise<KeptCompanion> {
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  return keepCompanion({ kind, launch, log, timers: systemTimers })
}

/** The hub is watched before its processes have started. */
function inPlaceOf(find: () => StatusSource | undefined): StatusSource {
  return {
    isReady: async () => (await find()?.isReady()) ?? false,
    metricsText: async () => (await find()?.metricsText()) ?? '',
  }
}
