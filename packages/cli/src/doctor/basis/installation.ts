/**
 * The inputs of the checks: the settings as `latchkey serve` reads them, and the responses at their
 * addresses.
 */

import type { ForgeInstallation } from '@latchkey/forge/checks'
import { type HubInstallation, withJournal, withRepositoryUids } from '@latchkey/hub/checks'
import {
  inspectPostgres,
  openPartnerKeys,
  refuseUnusableAddresses,
  sqliteFile,
} from '@latchkey/hub/management'
import { askDatabase } from '@latchkey/service/checks'
import type { StorageSettings } from '@latchkey/storage'
import type { StorageInstallation } from '@latchkey/storage/checks'
import { inspectCatalogIn } from '@latchkey/storage/maintenance'
import { embeddedRootKeyName } from '@latchkey/storage/root-key'
import { hasForge } from '../../configuration/forge-settings.ts'
import { hubSettings } from '../../configuration/hub-settings.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../../configuration/read-configuration.ts'
import type { Environment } from '../../configuration/read-environment.ts'
import { storageSettings } from '../../configuration/storage-settings.ts'
import { trustCaCert } from '../../configuration/trust-ca-cert.ts'
import { askHub, type ExaminedAnswer } from './ask-hub.ts'

export interface Installation extends HubInstallation, StorageInstallation, ForgeInstallation {
  readonly configuration: Configuration
  /** Undefined where the hub runs without one. */
  readonly storage: StorageSettings | undefined
  /** Asked once for all checks. */
  readonly hub: () => Promise<ExaminedAnswer>
  readonly close: () => Promise<void>
}

/** Throws what `latchkey serve` would end with. */
export function readInstallation(
  flags: Flags,
  environment: Environment,
  nowMs: () => number,
): Installation {
  const configuration = readConfiguration(flags, environment)
  trustCaCert(configuration)
  const settings = hubSettings(configuration)
  const storage = storageSettings(configuration, settings)
  refuseUnusableAddresses(settings)
  const { partnerKeys } = settings.revoke
  if (partnerKeys !== undefined) openPartnerKeys(partnerKeys, nowMs)
  const { data, database } = settings
  const isSqlite = typeof database === 'string'
  const catalogueUrl = storage?.database
  const hub = once(() => askHub(settings, nowMs))
  const hubDatabase = once(() => {
    if (isSqlite) throw new Error('the database is a file')
    return askDatabase(() => inspectPostgres(database), nowMs)
  })
  const catalogue = once(() => {
    if (catalogueUrl === undefined) throw new Error('the catalogue is a file')
    return askDatabase(() => inspectCatalogIn(catalogueUrl), nowMs)
  })
  const ofHub: HubInstallation = {
    settings,
    databaseKind: isSqlite ? 'sqlite' : 'postgres',
    file: isSqlite ? sqliteFile(data, database) : '',
    otherKeyFiles: [embeddedRootKeyName],
    leewaySeconds: configuration.values.leewaySeconds,
    nowMs,
    isRunning: async () => (await hub.ask()).kind === 'answers',
    database: hubDatabase.ask,
  }
  return {
    ...ofHub,
    configuration,
    storage,
    forge: { data, isServed: hasForge(configuration.values) },
    hub: hub.ask,
    catalogue: catalogueUrl && catalogue.ask,
    isStorageRunning: async () => {
      const answer = await hub.ask()
      return answer.kind === 'answers' && answer.storage !== undefined
    },
    withJournal: (run) => withJournal(ofHub, run),
    withRepositoryUids: (run) => withRepositoryUids(ofHub, run),
    async close() {
      for (const { answerIfAsked } of [hubDatabase, catalogue]) {
        const found = await answerIfAsked()?.catch(() => undefined)
        if (found?.kind === 'answers') await found.store.close()
      }
    },
  }
}

interface Once<Answer> {
  readonly ask: () => Promise<Answer>
  /** Undefined before the first question. */
  readonly answerIfAsked: () => Promise<Answer> | undefined
}

function once<Answer>(ask: () => Promise<Answer>): Once<Answer> {
  let answer: Promise<Answer> | undefined
  return {
    ask() {
      answer ??= ask()
      return answer
    },
    answerIfAsked: () => answer,
  }
}
