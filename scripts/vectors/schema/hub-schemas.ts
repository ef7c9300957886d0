/** The forms of the files for hubs. */

import { applyFile } from './apply-schema.ts'
import {
  about,
  commit,
  count,
  either,
  errorCode,
  exactly,
  filledText,
  flag,
  list,
  map,
  milliseconds,
  nothing,
  record,
  refName,
  type Schema,
  scope,
  seconds,
  seenRef,
  shaped,
  status,
  text,
  tuple,
  url,
  word,
} from './parts.ts'

const policy = { hidePrivateRepositories: flag, anonymousPublicRead: flag, compatible: flag }
const pattern = shaped('^[^/].*$')
const grant = record({ on: filledText, contents: scope }, { refs: list(pattern, 0) })
const moment = either(seconds, nothing)
const caller = {
  kind: word('read', 'write', 'admin', 'fine-grained'),
  grants: list(grant, 0),
  disabled: flag,
  administrator: flag,
  expiresAt: moment,
  revokedAt: moment,
}
const repository = {
  visibility: word('public', 'private'),
  role: either(word('read', 'write', 'admin'), nothing),
  refRules: list(record({ pattern: filledText, write: word('write', 'admin') }), 0),
  defaultBranch: refName,
  found: either(filledText, nothing),
}
const team = record({
  role: word('read', 'write', 'admin'),
  until: either(seconds, nothing),
})
const ancestry = list(seenRef, 0)
const holder = record({ name: refName, uid: filledText, recordedNumber: milliseconds, ancestry })
const ref = record(
  { name: filledText, uid: filledText, commit, ancestry, holders: list(holder, 0) },
  { pastHolders: list(filledText) },
)
const expectation = either(
  record(
    { permitted: filledText, sees: list(seenRef, 0) },
    { withoutOwn: exactly(true), until: seconds },
  ),
  record({ refused: errorCode, missing: flag }),
)
const decision = record(
  { name: filledText, scope, revision: text, expect: expectation },
  {
    policy: record({}, policy),
    caller: either(
      record({}, { ...caller, namespaces: list(filledText) }),
      exactly('unknown'),
      nothing,
    ),
    repository: either(record({}, { ...repository, teams: list(team) }), nothing),
    word: word('storage', 'xet'),
  },
)

export const decisions: Schema = record({
  about,
  defaults: record({
    now: seconds,
    policy: record(policy),
    caller: record(caller),
    repository: record(repository),
  }),
  refs: map(ref),
  groups: list(record({ guarantee: filledText, cases: list(decision) })),
  alike: list(list(filledText, 2)),
})

const target = { name: filledText, target: shaped('^(?:/|[Hh][Tt][Tt][Pp]s?://)[!-~]*$') }
const repositoryPath = shaped('^(?:models|datasets|spaces)/[^/]+/[^/]+$')
const revision = either(
  record({ commit }),
  record({ ref: refName }),
  record({ branch: refName, tag: refName }),
  record({ impossible: text }),
)

export const paths: Schema = record({
  about,
  cases: list(
    either(
      record({
        ...target,
        route: word('storage', 'xet'),
        scope,
        repository: either(repositoryPath, nothing),
        revision,
      }),
      record({ ...target, error: exactly('not_found') }),
    ),
  ),
})

const header = tuple(filledText, text)
const response = {
  status: status(200, 401, 403, 404, 405),
  headers: map(either(text, exactly(true), nothing)),
}
const answered = either(
  record({
    ...response,
    token: record({
      scope,
      repository: repositoryPath,
      ref: either(refName, commit),
      commit,
      lifetimeSeconds: count,
    }),
  }),
  record({ ...response, error: record({ code: errorCode }) }, { sameAs: filledText }),
  record({ ...response, body: exactly('') }),
)

export const responses: Schema = record({
  about,
  now: seconds,
  publicUrl: url,
  casUrl: url,
  groups: list(
    record({
      name: filledText,
      options: record(
        {},
        { hidePrivateRepositories: flag, anonymousPublicRead: flag, compatible: flag },
      ),
      apply: list(applyFile, 0),
      cases: list(
        record({ ...target, method: filledText, headers: list(header, 0), response: answered }),
      ),
    }),
  ),
})
