/** The hub's log events in docs/reference/log-events.md. */

import type { EventTexts } from '@latchkey/service/observe/log'
import type { levelOf } from './log-events.ts'

const caller = ['subject', 'account', 'hubToken']
const request = ['address', 'requestId', 'milliseconds']
const decision = ['outcome', ...caller, 'repository', 'ref', 'scope', ...request]

export const eventTexts: EventTexts<typeof levelOf> = {
  hub_started: {
    about: 'The hub serves requests.',
    fields: ['url', 'publicUrl', 'casUrl'],
  },
  hub_stopping: {
    about: 'The hub received a signal to stop and lets running requests finish.',
    fields: ['deadlineSeconds'],
  },
  hub_stopped: { about: 'The hub has stopped.', fields: [] },
  storage_not_configured: {
    about:
      'Repositories are on a storage that the configuration does not have. The hub refuses their token requests with 503; add the storage to `storages`.',
    fields: ['storage', 'repositories'],
  },
  token_issued: {
    about: 'The hub issued a storage token; gates and storages log its `jti` as `token`.',
    fields: ['jti', ...decision],
  },
  token_checked: {
    about: 'A HEAD request would have received a storage token with GET.',
    fields: decision,
  },
  token_refused: { about: 'The hub rejected a token request.', fields: ['code', ...decision] },
  whoami_requested: {
    about: 'A client asked which account and hub token it uses.',
    fields: ['outcome', 'code', ...caller, ...request],
  },
  admin_called: {
    about:
      'An operation of the admin API ended, or a command on the machine; `changes` is the number of changes of `apply` or of a push.',
    fields: [...caller, 'user', 'verb', 'target', 'outcome', 'code', 'changes', ...request],
  },
  admin_changed: {
    about: 'One change of an `apply` file or of a push; it follows its `admin_called`.',
    fields: [...caller, 'user', 'verb', 'did', 'target', 'requestId'],
  },
  link_called: {
    about:
      'A storage sent a request to the hub, or the hub refused a forge; `hubToken` is `embedded` for those of `latchkey serve`.',
    fields: ['route', ...caller, 'outcome', 'code', ...request],
  },
  forge_changed: {
    about: 'A client of the forge created, changed or deleted a repository or a ref.',
    fields: ['verb', ...caller, 'repository', 'ref', 'outcome', 'code', 'address', 'requestId'],
  },
  request_forwarded: {
    about:
      'The hub forwarded a request to the forge, or refused it in its place: `outcome` is `forwarded`, `cut` or the code of the error. The forge logs the same `requestId`.',
    fields: ['outcome', 'by', 'method', 'path', 'status', 'reason', ...request],
  },
  forge_unavailable: {
    about:
      'The forge does not run, cannot be reached, ended a connection, or did not answer in time. The hub answers such requests with 503, and writes one line in 10 seconds.',
    fields: ['reason'],
  },
  forge_recovered: { about: 'The forge responds again.', fields: [] },
  revoke_posted: {
    about: 'A report of leaked tokens arrived at `POST /revoke`.',
    fields: ['tokens', 'outcome', ...request],
  },
  tokens_revoked: {
    about: 'Reports of leaked tokens revoked these tokens; each list has at most 100 entries.',
    fields: ['hubTokens', 'storageTokens', 'hubTokenCount', 'storageTokenCount', 'requestIds'],
  },
  oauth_requested: {
    about:
      'A program asked an OAuth endpoint, for example to sign in or to refresh its hub token. Polls without a decision are not logged.',
    fields: ['endpoint', 'outcome', ...caller, ...request],
  },
  device_decided: {
    about: 'A person approved or denied the sign-in of a program on the page `/device`.',
    fields: ['outcome', ...caller, 'program', 'scope', 'device', ...request],
  },
  refresh_token_reused: {
    about:
      'A refresh token came again after its ten minutes, so it is stolen or its program is broken. The hub revoked the hub tokens of that device.',
    fields: [...caller, 'address', 'requestId'],
  },
  issuer_keys_not_fetched: {
    about:
      'The hub could not get the keys of an issuer of id tokens. Keys that it has serve for 24 hours; without keys, CI jobs of that issuer get no hub tokens.',
    fields: ['issuer', 'reason'],
  },

  request_failed: {
    about: 'A request failed inside the hub, and the client received `internal_error`.',
    fields: ['requestId', 'error'],
  },
  overloaded: {
    about:
      'Requests waited too long for their turn; `refused` counts the rejected requests since the last line.',
    fields: ['refused'],
  },
  database_unavailable: {
    about: 'PostgreSQL does not respond.',
    fields: ['reason'],
  },
  database_recovered: { about: 'PostgreSQL responds again.', fields: [] },
  database_replaced: {
    about: 'Another PostgreSQL server took the place of the one that this hub used.',
    fields: ['reason'],
  },
  database_rolled_back: {
    about:
      'An older copy of the database replaced the newer one; the hub revoked all storage tokens.',
    fields: [
      ...['knownBy', 'reason', 'lostAfter', 'lostThrough'],
      ...['hubTokens', 'someHubTokens', 'advice'],
    ],
  },
  rollback_report_ignored: {
    about: 'A storage reported a rollback of the database, and the hub does not act on the report.',
    fields: ['knownBy', 'number', 'reason'],
  },
  journal_number_not_saved: {
    about: 'The hub could not write the last journal number into its data directory.',
    fields: ['error'],
  },
  notifications_lost: {
    about: 'PostgreSQL notifications do not arrive; the hub reads the database regularly instead.',
    fields: ['reason'],
  },
  notifications_recovered: { about: 'PostgreSQL notifications arrive again.', fields: [] },
  last_use_not_recorded: {
    about: 'The hub could not record when hub tokens were last used.',
    fields: ['error'],
  },
  journal_pruned: {
    about: 'The hub removed journal entries that are older than `journal.retentionDays`.',
    fields: ['entries', 'days'],
  },
  journal_not_pruned: {
    about: 'The hub could not remove old journal entries.',
    fields: ['error'],
  },
  keys_rotated: {
    about: 'The hub took steps of the key rotation.',
    fields: ['steps'],
  },
  keys_not_rotated: {
    about: 'The hub could not take a step of the key rotation.',
    fields: ['reason', 'error'],
  },
  key_not_opened: {
    about: 'The master key does not open this signing key.',
    fields: ['kid', 'purpose', 'reason'],
  },
  revocation_entries_pruned: {
    about: 'The hub removed revocation entries that no valid token needs.',
    fields: ['entries'],
  },
  revocation_entries_not_pruned: {
    about: 'The hub could not remove old revocation entries.',
    fields: ['error'],
  },
  signed_in: {
    about: 'A person signed in, and has a session.',
    fields: ['subject', 'account', 'hubToken', 'provider', 'address', 'requestId'],
  },
  sign_in_refused: {
    about: 'The hub refused a sign-in by an identity provider. `reason` says which check failed.',
    fields: ['provider', 'issuer', 'identity', 'reason', 'address', 'requestId'],
  },
  memberships_ended: {
    about:
      'The hub ended memberships in teams that came from a provider which the configuration does not have any more.',
    fields: ['memberships'],
  },
  memberships_not_renewed: {
    about:
      'The hub did not learn the groups of a person, or of anybody, from an identity provider. The memberships end at their time unless a later attempt succeeds.',
    fields: ['provider', 'account', 'subject', 'reason'],
  },
  sign_ins_ended_by_provider: {
    about:
      'An identity provider refused the refresh token of a person, or a condition does not hold any more. The hub ended the sessions, device logins and memberships.',
    fields: ['provider', 'account', 'subject', 'reason'],
  },
  sign_ins_deleted: {
    about: 'The hub deleted sessions that ended 30 days ago, and CI tokens that ended a day ago.',
    fields: ['hubTokens'],
  },
  unused_hub_tokens_revoked: {
    about:
      'The hub revoked hub tokens that people made and did not use, by `hubTokens.unusedDays`.',
    fields: ['hubTokens', 'days'],
  },
  sign_ins_not_deleted: {
    about: 'The hub could not delete old sessions, device logins and CI tokens.',
    fields: ['error'],
  },
}
