/** The storage's log events in docs/reference/log-events.md. */

import type { EventTexts } from '@latchkey/service/observe/log'
import type { levelOf } from './log-events.ts'

const ended = [
  ...['outcome', 'code', 'subject', 'token', 'kid', 'repository', 'ref', 'scope'],
  ...['method', 'path', 'status', 'address', 'reason', 'requestId'],
  ...['bytesIn', 'bytesOut', 'milliseconds'],
]

export const eventTexts: EventTexts<typeof levelOf> = {
  storage_started: {
    about: 'The storage serves requests.',
    fields: ['url', 'casUrl', 'isolation'],
  },
  storage_stopping: {
    about: 'The storage received a signal to stop and lets running requests finish.',
    fields: ['deadlineSeconds'],
  },
  storage_stopped: { about: 'The storage has stopped.', fields: [] },
  storage_served: { about: 'The storage served a request.', fields: ended },
  storage_refused: { about: 'The storage rejected a request.', fields: ended },
  storage_preflight: { about: 'The storage responded to a CORS preflight request.', fields: ended },
  storage_aborted: {
    about:
      'A request ended before the client had the whole response, for example because its token was revoked.',
    fields: ended,
  },
  storage_failed: {
    about: 'A request or a background job failed inside the storage.',
    fields: ['requestId', 'route', 'error'],
  },
  hub_reached: { about: 'The hub responds to the storage again.', fields: [] },
  hub_unreachable: {
    about: 'The hub does not respond, or rejects the credential of the storage.',
    fields: ['reason'],
  },
  keys_not_fetched: {
    about: 'The storage could not download the public keys of the hub.',
    fields: ['reason'],
  },
  revocations_not_fetched: {
    about: 'The storage could not download the revocation list of the hub.',
    fields: ['reason'],
  },
  blob_url_key_unreadable: {
    about: 'The storage could not read the key that signs blob URLs.',
    fields: ['error'],
  },
  url_versions_undelivered: {
    about:
      'The storage removed content; the hub responds, but did not make new storage URLs for it.',
    fields: ['reason'],
  },
  content_unreadable: {
    about:
      'The storage could not compute the hash of a file, because its bytes are lost or damaged; run `latchkey storage verify`.',
    fields: ['repository', 'file', 'reason'],
  },
  grants_not_offered: {
    about:
      'Clients send their uploads to the storage, because the object store does not keep them from replacing what is there.',
    fields: ['reason'],
  },
  removals_missed: {
    about:
      'The hub does not have the journal that the storage followed; run `latchkey storage reconcile`.',
    fields: ['number', 'advice'],
  },
  store_mismatch: {
    about:
      'The object store and the catalogue do not belong together, so the storage serves nothing. After a restore, run `latchkey storage adopt`.',
    fields: ['reason', 'advice'],
  },
}
