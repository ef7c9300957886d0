/** Explains an error of a storage during a transfer to a person. */

import { tlsReason } from '@latchkey/service/http/ask'
import { IntegrityError, RangeFetchError } from '@latchkey/xet/download'
import { unavailable } from '../output/stop.ts'

/** Any other error as it is. */
export function explainMisdelivery(error: unknown): unknown {
  if (!(error instanceof RangeFetchError || error instanceof IntegrityError)) return error
  const { message } = error
  const reason = tlsReason(/ \(([A-Z\d_]+)\)$/.exec(message)?.[1])
  return unavailable(reason === undefined ? message : `${message}: ${reason}`)
}
