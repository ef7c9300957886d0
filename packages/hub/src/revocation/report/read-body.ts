/** Reads the body of a report: bounded in bytes, in time, and in memory for all bodies together. */

import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Refusal, refuse } from '@latchkey/protocol'
import { readJsonBody } from '@latchkey/service/http/read-json-body'
import type { Entered } from './report-limits.ts'

const largestBytes = 1024 * 1024
const bodyMs = 5000

/** A refusal closes the connection, so a late body is not read on. */
export async function readReportBody(
  request: IncomingMessage,
  { hold }: Pick<Entered, 'hold'>,
): Promise<Uint8Array | Refusal> {
  const isRead = new AbortController()
  try {
    return await Promise.race([
      readJsonBody(request, { most: largestBytes, hold }),
      tooLate(isRead.signal),
    ])
  } finally {
    isRead.abort()
  }
}

async function tooLate(isRead: AbortSignal): Promise<Refusal> {
  await delay(bodyMs, undefined, { signal: isRead }).catch(() => {})
  return late
}

const late = refuse(
  'request_timeout',
  `The body of a report must arrive within ${bodyMs / 1000} s. Send it again, or the tokens in several reports.`,
)
