/** The gate in front of everything, with the hub's own keys. */

import { createGate, type Gate, type Locator, placeByPrefix, type WhenStale } from '@latchkey/gate'
import { authenticator, storageCors } from '@latchkey/gate/authenticate'
import type { HubLink } from '@latchkey/gate/hub-link'
import { storageAddress } from '@latchkey/protocol'
import type { ProcessContext } from '@latchkey/service/machine/process-context'
import { failureOf } from '@latchkey/service/observe/log'
import type { DayKeys } from './blob-url/day-keys.ts'
import type { Hear } from './following/known-number.ts'
import type { JudgeDeps } from './http/judge.ts'
import { openBlobs } from './http/open-blob.ts'
import { type StorageParts, storageTable } from './http/storage-rows.ts'
import type { StorageLog } from './operations/log-events.ts'
import type { StorageSettings } from './settings.ts'

export interface Admission extends Pick<ProcessContext, 'clock' | 'randomBytes'> {
  /** Keys of blob URLs. */
  readonly dayKeys: DayKeys
  readonly link: Pick<HubLink, 'keys' | 'revocations'>
  readonly log: StorageLog
  readonly hear: Hear
  readonly mismatch: () => string | undefined
}

/** Fail closed, unless the operator says otherwise. */
export function whenStaleIn({ revocations }: StorageSettings): WhenStale {
  return revocations?.whenStale ?? 'reject'
}

export function judgingOf(
  settings: StorageSettings,
  parts: StorageParts,
  { dayKeys, link, log, hear, mismatch, clock, randomBytes }: Admission,
): JudgeDeps & Pick<Gate, 'isReady' | 'refreshKeys'> {
  const { casUrl, issuer, isolation, leewaySeconds } = settings
  const { audience } = storageAddress(casUrl)
  const { origins } = settings.cors
  const gate = createGate({
    keys: link.keys,
    revocations: link.revocations,
    whenStale: whenStaleIn(settings),
    issuer,
    audience,
    locate: storageLocate(casUrl),
    leewaySeconds,
    failuresPerMinute: settings.limits.failuresPerMinute,
    clock,
  })
  return {
    authority: new URL(audience).host,
    receive: authenticator(gate, {
      origins,
      onFailure: (error) => log('storage_failed', failureOf(error)),
    }),
    findRow: storageTable(parts),
    openBlob: openBlobs({ ...parts, casUrl, keys: dayKeys, checkGrantFresh: gate.checkGrantFresh }),
    isolation,
    hear,
    cors: storageCors(origins),
    randomBytes,
    mismatch,
    checkGrant: gate.checkGrant,
    verifyToken: gate.verifyToken,
    watch: gate.watch,
    isReady: gate.isReady,
    refreshKeys: gate.refreshKeys,
  }
}

/** The repository and the ref that a request names. */
function storageLocate(casUrl: string): Locator {
  const place = placeByPrefix(casUrl, undefined)
  return (request) => {
    const { repositoryUid, refUid, path } = place(request) ?? {}
    return repositoryUid === undefined || refUid === undefined || path === undefined
      ? undefined
      : { repositoryUid, refUid, path }
  }
}
