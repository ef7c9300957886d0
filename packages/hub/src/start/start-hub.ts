/** The entry point: settings become a running hub. */

import { type Clock, type OptionTypes, refuseOptions, type Secret } from '@latchkey/protocol'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  type ProcessContext,
  processContextFrom,
  processContextTypes,
  stopOnce,
} from '@latchkey/service/machine/process-context'
import { newId } from '@latchkey/service/machine/random'
import { createLog, failureOf } from '@latchkey/service/observe/log'
import { versionPerTurn } from '../access/watch-version.ts'
import { claimForDemo, refuseDemoData } from '../data/demo-tokens.ts'
import { openStore } from '../data/open-store.ts'
import { type ForgeAddress, forgeElsewhere } from '../forwarding/forge-place.ts'
import { embeddedCredential, makeEmbeddedCredential } from '../identity/embedded-credential.ts'
import { openKeyRing } from '../keys/key-ring.ts'
import { refuseUnusableAddresses } from '../minting/refuse-unusable-addresses.ts'
import { noteStorages, recordedStorages, storageAddresses } from '../minting/storage-names.ts'
import { keepHouse, keepKeys, lastUse } from '../operations/housekeeping.ts'
import { type HubLog, levelOf } from '../operations/log-events.ts'
import { createMetrics } from '../operations/metrics.ts'
import { openPartnerKeys, type VerifyPartner } from '../revocation/report/partner-keys.ts'
import { answerRollback } from '../rollback/answer-rollback.ts'
import { keepNumber, readKeptNumber } from '../rollback/kept-number.ts'
import { endUnconfigured } from '../sign-in/end-unconfigured.ts'
import type { Providers } from '../sign-in/open-providers.ts'
import { readProviders, usualGroupsMaxAgeSeconds } from '../sign-in/provider-settings.ts'
import {
  type MembershipRenewal,
  type RenewalDeps,
  renewMemberships,
} from '../sign-in/renew-memberships.ts'
import { sessionPort } from '../sign-in/session-port.ts'
import { defaultStaleness, type Store } from '../stores/store.ts'
import type { Origin } from '../tables/change.ts'
import type { Directory } from '../tables/directory.ts'
import { prefixChange } from '../verbs/hub-token-rows.ts'
import { openListeners } from './open-listeners.ts'
import { type HubSettings, settingTypesFor } from './settings.ts'

export interface RunningHub {
  readonly url: string
  readonly operationsUrl: string | undefined
  /** In-flight requests finish; the promise settles within the deadline of the settings. */
  stop(): Promise<void>
  readonly embedded: EmbeddedCredential
}

/**
 * The hub gives these to the storage and the forge that its process starts, and to no other program.
 */
export interface EmbeddedCredential {
  /** The storage has it; its routes of the link alone take it, for as long as this process runs. */
  readonly credential: Secret<'hub-token'>
  /** The forge has it; the routes of a forge alone take it. */
  readonly forge: Secret<'hub-token'>
}

export interface HubSurroundings extends ProcessContext {
  /** Processes that run beside the hub, for `/readyz` and `/metrics`. */
  readonly companions: Readonly<Record<string, StatusSource>>
  /** The forge beside the hub; undefined where there is none, or where `forgeUrl` names it. */
  readonly forge: ForgeAddress | undefined
}

const aroundTypes: OptionTypes<HubSurroundings> = {
  ...processContextTypes,
  ...{ companions: 'object', forge: 'object' },
}

const notOpened =
  'It is encrypted with another master key than this hub was started with. Restart the hub with the new one.'

/** A writer that waits blocks every reader of this process, so it waits briefly and tries again. */
const busyTimeoutMs = 50

export async function startHub(
  settings: HubSettings,
  overrides: Partial<HubSurroundings> = {},
): Promise<RunningHub> {
  refuseOptions('startHub', settings, settingTypesFor(settings), CannotStart)
  refuseOptions('surroundings of startHub', overrides, aroundTypes, CannotStart)
  const { companions = {} } = overrides
  const forge = forgeOf(settings, overrides)
  const surroundings = { ...processContextFrom(overrides), companions, forge }
  refuseUnusableAddresses(settings)
  // Before anything is made: a file that cannot be read ends the start.
  const verifyPartner = partnerVerifier(settings, surroundings)
  // Whole seconds where a clock is given: a test moves the journal with it.
  const nowMs = overrides.clock === undefined ? Date.now : () => surroundings.clock() * 1000
  const knownNumber = readKeptNumber(settings.data)
  const staleness = { ...defaultStaleness, maxMs: settings.stalenessSeconds * 1000 }
  const log = createLog({
    levelOf,
    level: settings.log.level,
    write: surroundings.lines.write,
  })
  const hub = newId(surroundings.randomBytes)
  const listenAt = settings.directDatabase
  const opening = {
    create: true,
    hub,
    listenAt,
    busyTimeoutMs,
    nowMs,
    staleness,
    tell: log,
  }
  const opened = await openStore(settings, opening)
  const { access, forgetVersion } = versionPerTurn(opened.access)
  const store = { ...opened, access }
  try {
    const around = { ...surroundings, hub, log, nowMs, knownNumber, verifyPartner, forgetVersion }
    return await runHub(settings, store, around)
  } catch (error) {
    await store.close()
    throw error
  }
}

function forgeOf(
  { forgeUrl }: HubSettings,
  { forge }: Pick<Partial<HubSurroundings>, 'forge'>,
): ForgeAddress | undefined {
  return forgeUrl === undefined ? forge : forgeElsewhere(forgeUrl)
}

/** Once the hub has its ports: one that cannot start must not change the names that another one has noted. */
async function noteOwnStorages(directory: Directory, settings: HubSettings, log: HubLog) {
  await noteStorages(directory, storageAddresses(settings))
  await warnOfMissingStorages(directory, settings, log)
}

/** Their token requests are refused until the configuration has the storage again. */
async function warnOfMissingStorages(directory: Directory, settings: HubSettings, log: HubLog) {
  const addresses = storageAddresses(settings)
  for (const { storage, repositories } of await directory.readBeside(recordedStorages)) {
    if (!addresses.has(storage)) log('storage_not_configured', { storage, repositories })
  }
}

interface Opening extends HubSurroundings {
  /** Differs for each start. */
  readonly hub: string
  readonly log: HubLog
  readonly nowMs: () => number
  /** The last number that this data directory knows of. */
  readonly knownNumber: number | undefined
  readonly verifyPartner: VerifyPartner | undefined
  readonly forgetVersion: () => void
}

function partnerVerifier(
  { revoke: { partnerKeys } }: HubSettings,
  { stopwatch }: ProcessContext,
): VerifyPartner | undefined {
  return partnerKeys === undefined ? undefined : openPartnerKeys(partnerKeys, stopwatch)
}

/** The library is loaded where there is a provider. */
async function providersOf({ identity }: HubSettings, clock: Clock): Promise<Providers> {
  const all = readProviders(identity?.providers ?? [])
  if (all.length === 0) return new Map()
  const { openProviders } = await import('../sign-in/open-providers.ts')
  return openProviders(all, clock)
}

/** Undefined where no provider gives what it takes to ask it again. */
function keepMemberships(
  { identity }: HubSettings,
  deps: Omit<RenewalDeps, 'maxAgeSeconds'>,
): MembershipRenewal | undefined {
  const isAsked = identity?.providers.some(({ offlineAccess = false }) => offlineAccess !== false)
  const maxAgeSeconds = identity?.groupsMaxAgeSeconds ?? usualGroupsMaxAgeSeconds
  return isAsked ? renewMemberships({ ...deps, maxAgeSeconds }) : undefined
}

async function runHub(
  settings: HubSettings,
  store: Store,
  { log, nowMs, knownNumber, verifyPartner, ...surroundings }: Opening,
): Promise<RunningHub> {
  const { clock, lines } = surroundings
  const { directory } = store
  await (settings.demo ? claimForDemo : refuseDemoData)(directory, settings.data)
  const origin: Origin = { verb: 'serve', user: machineUser() }
  const { data, masterKey, token } = settings
  if (knownNumber !== undefined) {
    await answerRollback(
      { directory, log, now: clock() },
      { knownNumber, knownBy: 'data directory', origin: { user: machineUser() } },
    )
  }
  const keys = await openKeyRing({
    store,
    data,
    masterKey,
    token,
    keys: settings.keys,
    now: clock(),
    origin,
    onUnopened: ({ kid, purpose }) => log('key_not_opened', { kid, purpose, reason: notOpened }),
  })
  // Before anything is answered: numbers after a restored backup or a failover are larger than all before.
  await directory.change(async ({ tables, putAs }) => {
    const prefix = await prefixChange({ ...settings, tables, now: clock() })
    await putAs(origin)([{ thing: 'hub' }, ...prefix])
  })

  const metrics = createMetrics()
  const uses = lastUse(directory)
  const embedded = embeddedCredential(makeEmbeddedCredential(surroundings.randomBytes))
  const embeddedForge = embeddedCredential(makeEmbeddedCredential(surroundings.randomBytes))
  const providers = await providersOf(settings, clock)
  const configured = [...providers.values()].map((provider) => provider.settings)
  const ended = await endUnconfigured(directory, configured, origin)
  if (ended > 0) log('memberships_ended', { memberships: ended })
  const listeners = await openListeners({
    settings,
    store,
    keys,
    embedded,
    embeddedForge,
    uses,
    providers,
    sessions: sessionPort({ directory, publicUrl: settings.publicUrl, clock }),
    log,
    metrics,
    verifyPartner,
    counts: store.counts,
    ...surroundings,
  })
  await noteOwnStorages(directory, settings, log).catch(async (error) => {
    await listeners.close(0)
    throw error
  })
  const { retentionDays } = settings.journal
  const stopHousekeeping = keepHouse({
    ...{ directory, uses, log, retentionDays, nowMs },
    unusedDays: settings.hubTokens?.unusedDays ?? 0,
  })
  const onUnkept = (error: unknown) => log('journal_number_not_saved', failureOf(error))
  const stopKeeping = keepNumber({ data, store, onFailure: onUnkept })
  const stopKeys = keepKeys({ keys, log, clock })
  const renewal = keepMemberships(settings, {
    ...{ directory, configured: providers, masterKey: keys.masterKey },
    ...{ holder: surroundings.hub, clock, randomBytes: surroundings.randomBytes, log },
  })
  const { publicUrl, casUrl } = settings
  log('hub_started', { url: listeners.url, publicUrl, casUrl })

  const stop = stopOnce('hub', { log, lines, settings }, async (deadlineSeconds) => {
    await listeners.close(deadlineSeconds)
    await renewal?.stop()
    await stopKeys()
    await stopHousekeeping()
    await stopKeeping()
    await store.close()
  })
  return {
    url: listeners.url,
    operationsUrl: listeners.operationsUrl,
    stop,
    embedded: { credential: embedded.credential, forge: embeddedForge.credential },
  }
}
