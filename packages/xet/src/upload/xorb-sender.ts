/** Sends xorbs that are complete, several at once, and remembers which were sent. */

import type { ChunkTable } from '../format/chunk-table.ts'
import type { Hash } from '../format/hash.ts'
import type { SealedXorb } from './open-xorb.ts'
import { type SendLimits, sendQueue } from './send-queue.ts'
import type { UploadCalls } from './upload-calls.ts'

/** For complete xorbs that the storage has not acknowledged; the xorb that is being filled is not counted. */
const sendLimits: SendLimits = { bytes: 128 * 1024 * 1024, atOnce: 2 }

/** Told after each xorb that the storage has acknowledged: the bytes of all of them so far, packed and unpacked. */
export type OnKept = (packedBytes: number, unpackedBytes: number) => void

export interface SentXorb {
  readonly hash: Hash
  readonly table: ChunkTable
}

export interface XorbSender {
  /** Waits for room when too much is on its way. */
  add(xorb: SealedXorb): Promise<void>
  readonly sent: readonly SentXorb[]
  /** Resolves when the storage has acknowledged all of them. */
  arrived(): Promise<void>
}

export function xorbSender(
  send: UploadCalls['sendXorb'],
  onKept: OnKept = () => {},
  limits = sendLimits,
): XorbSender {
  const sent: SentXorb[] = []
  const onTheWay = sendQueue(limits)
  let [keptBytes, unpackedBytes] = [0, 0]
  return {
    async add({ hash, table, parts, release }) {
      const { packedBytes } = table
      sent.push({ hash, table })
      await onTheWay.add(packedBytes, async () => {
        await send(hash, parts)
        release()
        keptBytes += packedBytes
        unpackedBytes += table.unpackedBytes
        onKept(keptBytes, unpackedBytes)
      })
    },
    sent,
    arrived: onTheWay.drain,
  }
}
