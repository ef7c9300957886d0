/** The gateway's log events in docs/reference/log-events.md. */

import type { EventTexts } from '@latchkey/service/observe/log'
import type { levelOf } from './gateway-context.ts'

const ended = [
  ...['outcome', 'subject', 'token', 'kid', 'repository', 'ref', 'scope'],
  ...['method', 'path', 'status', 'address', 'reason', 'requestId', 'milliseconds'],
]

export const eventTexts: EventTexts<typeof levelOf> = {
  gate_started: {
    about: 'The gate serves requests.',
    fields: ['url', 'hub', 'issuer', 'casUrl', 'work', 'revocationBounds', 'whenStale'],
  },
  gate_stopping: {
    about: 'The gate received a signal to stop and lets running requests finish.',
    fields: ['deadlineSeconds'],
  },
  gate_stopped: { about: 'The gate has stopped.', fields: [] },
  request_forwarded: {
    about: 'The gateway forwarded a request to the storage and returned the response.',
    fields: ended,
  },
  request_admitted: {
    about: 'The forward-auth endpoint allowed a request of a proxy.',
    fields: ended,
  },
  request_refused: { about: 'The gate rejected a request.', fields: ['code', ...ended] },
  preflight_answered: { about: 'The gate responded to a CORS preflight request.', fields: ended },
  request_aborted: {
    about:
      'A request ended before the client had the whole response; `by` says which side ended it.',
    fields: ['by', 'code', ...ended],
  },
  request_failed: {
    about: 'A request failed inside the gate; the client received `internal_error`.',
    fields: ['requestId', 'error'],
  },
  keys_not_fetched: {
    about: 'The gate could not download the public keys of the hub.',
    fields: ['reason'],
  },
  revocations_not_fetched: {
    about: 'The gate could not download the revocation list of the hub.',
    fields: ['reason'],
  },
}
