/** The forms of the files for verifiers, gates and storages. */

import {
  about,
  base64,
  claims,
  digest,
  either,
  errorCode,
  exactly,
  filledText,
  flag,
  integer,
  keySet,
  list,
  map,
  milliseconds,
  nothing,
  privateKey,
  publicKey,
  record,
  refName,
  type Schema,
  scope,
  seconds,
  seenRef,
  status,
  text,
  tuple,
  url,
  word,
} from './parts.ts'

const reason = word(
  ...(['expired', 'forged', 'lives_too_long', 'malformed', 'not_yet_issued'] as const),
  ...(['unknown_key', 'wrong_audience', 'wrong_issuer'] as const),
)

export const tokens: Schema = record({
  about,
  issuer: url,
  audience: url,
  now: seconds,
  leewaySeconds: seconds,
  jwks: keySet,
  signingKeysOfTheseVectors: record({ ES256: privateKey, EdDSA: privateKey }),
  cases: list(
    either(
      record({ name: filledText, token: filledText, accepted: exactly(true), claims }),
      record({ name: filledText, token: text, accepted: exactly(false), reason }),
    ),
  ),
})

export const scopeRules: Schema = record({
  about,
  paths: list(record({ path: text, normal: flag })),
  scopes: list(record({ method: text, path: text, wants: scope })),
})

const grant = record({
  scope,
  repository: filledText,
  repositoryUid: filledText,
  ref: refName,
  refUid: filledText,
  subject: filledText,
})
const header = tuple(text, text)
const request = {
  name: filledText,
  method: filledText,
  target: text,
  headers: list(header, 0),
}
const sending = { body: text, notThrough: map(filledText) }
const refusalStatus = status(400, 401, 403, 404)

export const requests: Schema = record({
  about,
  issuer: url,
  casUrl: url,
  audience: url,
  now: seconds,
  leewaySeconds: seconds,
  jwks: keySet,
  places: map(filledText),
  tokens: map(either(filledText, nothing)),
  grants: map(grant),
  requests: list(
    either(
      record(
        { ...request, status: exactly(200), code: nothing, grant: filledText, gets: filledText },
        sending,
      ),
      record({ ...request, status: refusalStatus, code: errorCode }, sending),
    ),
  ),
  matrix: list(
    either(
      tuple(filledText, filledText, filledText, text, exactly(200), nothing),
      tuple(filledText, filledText, filledText, text, refusalStatus, errorCode),
    ),
  ),
})

const name = filledText
const listed = { name, bytes: base64, hash: digest }
const entry = record({ hash: digest, number: milliseconds })
const holds = either(
  record({ state: exactly('none') }),
  record({ state: word('good', 'over'), list: name }),
)
const step = record(
  { holds },
  { wait: seconds, set: integer, keys: list(name), head: either(filledText, nothing) },
)

export const revocations: Schema = record({
  about,
  issuer: url,
  now: seconds,
  leewaySeconds: seconds,
  publishedKeys: record({ first: publicKey, second: publicKey }),
  keysOfTokens: keySet,
  signingKeysOfTheseVectors: record({ first: privateKey, second: privateKey }),
  token: filledText,
  tokenKid: digest,
  lists: list(record(listed, { entries: list(entry, 0) })),
  heads: list(record({ name, head: text, accepted: flag })),
  histories: list(record({ name, steps: list(step) })),
  deaths: list(record({ list: name, dead: flag })),
})

const placeGrant = record({
  repositoryUid: filledText,
  refUid: filledText,
  asOf: milliseconds,
  sees: list(seenRef, 0),
})
const row = record({ repositoryUid: text, refUid: text, writtenAt: milliseconds })

export const visibility: Schema = record({
  about,
  rows: list(record({ name, grant: placeGrant, nowMilliseconds: milliseconds, row })),
  visible: list(record({ name, grant: placeGrant, row, visible: flag })),
})

export const published: Schema = record({
  about,
  issuer: url,
  casUrl: url,
  prefix: filledText,
  now: seconds,
  leewaySeconds: seconds,
  tokens: map(filledText),
  moments: list(
    record({
      name,
      at: seconds,
      documents: either(
        record({ jwks: keySet, revocationKeys: keySet, head: filledText, list: base64 }),
        nothing,
      ),
      tokens: map(word('admitted', 'storage_token_invalid', 'gate_not_ready')),
    }),
  ),
})
