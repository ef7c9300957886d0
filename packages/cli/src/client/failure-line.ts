/** Why a client's command failed: one line that says which it is and what to do, and the exit code. */

import type { LatchkeyError } from '@latchkey/client'
import { tlsReason } from '@latchkey/service/http/ask'
import { quoteGiven } from '@latchkey/service/text'
import { hubTokenVariable } from '../configuration/read-environment.ts'
import type { Login } from '../credentials/find-login.ts'
import { type ExitCode, exitCodes, Stop } from '../output/stop.ts'
import { traced } from '../output/traced.ts'

/** An error of the client or a refusal of the hub, whichever way it was asked. */
export type Failure = Pick<LatchkeyError, 'code' | 'message'> &
  Partial<Pick<LatchkeyError, 'requestId'>>

export interface FailedRequest {
  readonly login: Login
  readonly target?: { readonly repo: string; readonly revision: string }
}

type Line = (failure: Failure, request: FailedRequest) => string

const { refused, wrongUsage, unavailable } = exitCodes

// biome-ignore format: a table is read by its columns
const ends: Readonly<Record<LatchkeyError['code'], readonly [ExitCode, Line]>> = {
  hub_token_missing:      [refused,     tokenNotTaken],
  hub_token_invalid:      [refused,     tokenNotTaken],
  repository_not_found:   [refused,     noRepository],
  revision_not_found:     [refused,     noRevision],
  permission_denied:      [refused,     notPermitted],
  storage_token_missing:  [refused,     ofGate],
  storage_token_invalid:  [refused,     ofGate],
  insufficient_scope:     [refused,     ofGate],
  repository_mismatch:       [refused,     ofGate],
  ref_mismatch:              [refused,     ofGate],
  not_found:              [refused,     noSuchPath],
  resource_not_found:     [refused,     asTold],
  entry_not_found:        [refused,     asTold],
  method_not_allowed:     [refused,     asTold],
  conflict:               [refused,     asTold],
  upload_offset_mismatch: [refused,     asTold],
  cursor_unknown:         [refused,     asTold],
  precondition_failed:    [refused,     asTold],
  body_too_large:         [refused,     asTold],
  unsupported_media_type: [refused,     asTold],
  headers_too_large:      [refused,     asTold],
  misdirected_request:    [refused,     asTold],
  rate_limited:           [refused,     asTold],
  bad_request:            [refused,     asTold],
  content_invalid:        [refused,     asTold],
  range_not_satisfiable:  [refused,     asTold],
  quota_exceeded:         [refused,     asTold],
  blob_url_invalid:       [refused,     asTold],
  signature_invalid:      [refused,     asTold],
  bad_option:             [wrongUsage,  asTold],
  path_refused:           [wrongUsage,  asTold],
  body_not_repeatable:    [refused,     notSentAgain],
  redirected:             [unavailable, asTold],
  answer_invalid:         [unavailable, asTold],
  hub_unreachable:        [unavailable, noHub],
  storage_unreachable:    [unavailable, noStorage],
  request_timeout:        [unavailable, asTold],
  internal_error:         [unavailable, asTold],
  not_implemented:        [refused,     asTold],
  upstream_unreachable:   [unavailable, ofGate],
  upstream_timeout:       [unavailable, ofGate],
  not_ready:              [unavailable, asTold],
  gate_not_ready:         [unavailable, ofGate],
  hub_unavailable:               [unavailable, asTold],
  storage_full:           [unavailable, asTold],
  stopping:               [unavailable, asTold],
  closed:                 [unavailable, asTold],
}

export function stopForFailure(failure: Failure, request: FailedRequest): Stop {
  // A hub that is newer than this command may have other codes.
  const [exitCode, line] = ends[failure.code] ?? [refused, asTold]
  return new Stop(exitCode, line(failure, request))
}

function asTold(failure: Failure): string {
  return advise(failure, '')
}

/** The full stop goes, and the request id stands last. */
function advise({ message, requestId }: Failure, advice: string): string {
  return traced(message.replace(/\.$/, '') + advice, requestId)
}

function tokenNotTaken(_: Failure, { login }: FailedRequest): string {
  return `${login.url} rejects ${whatToDo[login.source](login)}`
}

const whatToDo: Readonly<Record<Login['source'], (login: Login) => string>> = {
  typed: () =>
    'this hub token: it is mistyped, revoked or expired, or its account is disabled; nothing is stored',
  stored: ({ url }) =>
    `the stored hub token: it is revoked or expired, or its account is disabled; latchkey login --hub ${url} stores another`,
  environment: ({ variable = hubTokenVariable }) =>
    `the hub token from the environment (${variable}): it is mistyped, revoked or expired, or its account is disabled; put a valid one there, or remove it and use latchkey login`,
}

function noRepository(_: Failure, { login: { url }, target }: FailedRequest): string {
  return `there is no repository ${target?.repo} at ${url}, or this hub token may not see it; check the name`
}

function noRevision(_: Failure, { target }: FailedRequest): string {
  return `${target?.repo} has no revision ${quoteGiven(target?.revision)}; name a branch, a tag or a full commit hash after the @; an administrator makes a branch with latchkey ref set ${target?.repo} REF`
}

function notPermitted(failure: Failure): string {
  return advise(failure, '; use a hub token that may, or ask an administrator of the repository')
}

function noSuchPath(failure: Failure, { login: { url } }: FailedRequest): string {
  return `${url} does not know this request, so it may not be a hub, or is an older version: ${asTold(failure)}`
}

/** All that is asked by a client is the hub; what the storage says is its answer, and no failure. */
function ofGate(failure: Failure, { login: { url } }: FailedRequest): string {
  return `${url} responds like a gate, so it may not be a hub; check --hub: ${asTold(failure)}`
}

function noHub(failure: Failure): string {
  return advise(failure, tlsAdvice(failure) ?? '; check --hub, and that the hub runs')
}

function noStorage(failure: Failure): string {
  return advise(failure, tlsAdvice(failure) ?? checkStorage)
}

const checkStorage =
  '; the hub sends clients there: check that the storage runs, or the gate in front of it'

/** The client ends its sentence with the code of the system. */
function tlsAdvice({ message }: Failure): string | undefined {
  const reason = tlsReason(/ \(([A-Z\d_]+)\)\.$/.exec(message)?.[1])
  return reason === undefined ? undefined : `: ${reason}`
}

function notSentAgain(): string {
  return 'the storage rejected the token after the upload had begun, and data from standard input or a pipe cannot be sent again; use a file, or run the command again'
}
