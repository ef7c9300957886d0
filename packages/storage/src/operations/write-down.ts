/** One log line and one measurement for every request at the storage. */

import type { Grant } from '@latchkey/gate'
import { pathOf, type Refusal } from '@latchkey/protocol'
import { shorten } from '@latchkey/service/observe/log'
import type { BlobPermit } from '../blob-url/blob-permit.ts'
import type { StorageLog } from './log-events.ts'
import type { Metrics, StorageOutcome } from './metrics.ts'

export interface EndedRequest {
  readonly method: string
  readonly target: string
  /** The row of the table, or what stands for none. */
  readonly route: string
  readonly address: string | undefined
  readonly requestId: string
  readonly milliseconds: number
  readonly status: number | undefined
  /** The reason why a request was aborted. */
  readonly refusal?: Refusal | undefined
  readonly grant?: Grant | undefined
  /** The permit of a request that came with the signed URL of a blob. */
  readonly permit?: BlobPermit | undefined
  readonly bytesIn: number
  readonly bytesOut: number
  /** The client got no whole answer. */
  readonly isCut?: boolean
  readonly isPreflight?: boolean
}

export type WriteDown = (ended: EndedRequest) => void

export function writeDown(log: StorageLog, metrics: Metrics): WriteDown {
  return (ended) => {
    const { route, refusal, grant, permit, milliseconds } = ended
    const outcome = outcomeOf(ended)
    metrics.ended(route, outcome, milliseconds / 1000)
    log(eventOf[outcome] ?? 'storage_refused', {
      outcome: refusal === undefined || ended.isCut ? outcome : 'refused',
      code: refusal?.code,
      subject: grant?.subject ?? permit?.subject,
      token: grant?.tokenId ?? permit?.tokenId ?? refusal?.tokenId,
      kid: grant?.kid ?? permit?.kid,
      repository: grant?.repository,
      ref: grant?.ref,
      scope: grant?.scope,
      method: ended.method.slice(0, 32),
      path: shorten(pathOf(ended.target)),
      status: ended.status,
      address: ended.address,
      reason: refusal?.reason,
      requestId: ended.requestId,
      bytesIn: ended.bytesIn,
      bytesOut: ended.bytesOut,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    })
  }
}

const eventOf: Partial<Record<StorageOutcome, Parameters<StorageLog>[0]>> = {
  served: 'storage_served',
  preflight: 'storage_preflight',
  cut: 'storage_aborted',
}

function outcomeOf({ isCut, isPreflight, refusal }: EndedRequest): StorageOutcome {
  if (isCut) return 'cut'
  if (refusal !== undefined) return refusal.code
  return isPreflight ? 'preflight' : 'served'
}
