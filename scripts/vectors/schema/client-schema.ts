/** The form of the file for clients: `ClientDocument`, for every language. */

import {
  about,
  anything,
  count,
  definition,
  either,
  exactly,
  filledText,
  flag,
  integer,
  list,
  map,
  nothing,
  number,
  record,
  type Schema,
  scope,
  seconds,
  text,
  tuple,
  url,
  word,
} from './parts.ts'

const options = record(
  {},
  {
    hubUrl: text,
    hubToken: either(text, nothing, list(text)),
    repo: text,
    revision: text,
    allowPlainHttp: flag,
    refreshBufferSeconds: count,
    retryTimeoutSeconds: count,
  },
)
const status: Schema = { type: 'integer', minimum: 100, maximum: 599 }
const response = either(
  exactly('default'),
  record({ failure: word('network', 'silence') }),
  record(
    {},
    {
      status,
      headers: map(either(text, nothing, record({ secondsFromNow: integer }))),
      body: anything,
      token: map(anything),
      lifetimeSeconds: count,
      afterSeconds: count,
    },
  ),
)
const outcome = record(
  {},
  {
    code: filledText,
    status,
    retryAfterSeconds: count,
    requestId: text,
    message: text,
    accessToken: filledText,
    scope,
    exp: seconds,
    casUrl: url,
    body: text,
  },
)
const headers = map(text)
const storageRequest = record({ path: text }, { method: filledText, headers, body: text, scope })
const sent = record(
  { method: filledText, url },
  { authorization: either(filledText, nothing), body: text, headers },
)
const client = filledText
const call = {
  client,
  concurrently: { type: 'integer', minimum: 2 },
  alternative: outcome,
  took: tuple(number, number),
  sends: list(sent, 0),
}
const amount = either(count, tuple(count, count))
const step = either(
  record({ hub: list(response) }),
  record({ storage: list(response) }),
  record({ advance: number }),
  record({ setClock: number }),
  record({ revoke: filledText }),
  record({ close: client }),
  record({ count: record({}, { hub: amount, storage: amount }) }),
  record({ repeat: count, steps: list(definition('step')) }),
  record({ open: client, options }, { outcome }),
  record({ token: scope, outcome }, call),
  record({ storageRequest, outcome }, call),
)

export const clientScript: Schema = {
  ...(record({
    about,
    now: seconds,
    options: record({ hubUrl: url, hubToken: filledText, repo: filledText, revision: filledText }),
    token: record({ casUrl: url, lifetimeSeconds: count }),
    cases: list(
      record(
        { name: filledText, steps: list(definition('step')) },
        { options, skewSeconds: integer },
      ),
    ),
  }) as object),
  $defs: { step },
}
