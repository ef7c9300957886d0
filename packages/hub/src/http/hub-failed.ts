/** What a caller is told when something broke; the log has the reason. */

import { type Refusal, refuse } from '@latchkey/protocol'

export function hubFailed(): Refusal {
  return refuse(
    'internal_error',
    'The hub failed to answer. Try again; the request id helps its operator to find out why.',
  )
}
