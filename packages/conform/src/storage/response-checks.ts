/** The form of a gate's errors. */

import type { Check, Fault } from '../check.ts'
import { problemOf } from '../wire/outcome.ts'
import type { RawResponse } from '../wire/raw-request.ts'
import {
  at,
  firstFault,
  isAdmitted,
  type RequestRow,
  type StorageRequest,
  type StorageTarget,
  send,
  tokenOf,
  unlike,
  writePath,
} from './storage-target.ts'

const profiles = ['verifier'] as const

/** One of each kind that a gate rejects. */
function rejectedRequests(target: StorageTarget): readonly StorageRequest[] {
  const other = tokenOf(target, { repository: 'models/conform/other' })
  return [
    { about: 'no token', target: at(target) },
    {
      about: 'a forged token',
      target: at(target),
      token: tokenOf(target, { flaw: 'forged-signature' }),
    },
    { about: 'an expired token', target: at(target), token: tokenOf(target, { flaw: 'expired' }) },
    { about: 'a read token', method: 'PUT', target: at(target, writePath), token: tokenOf(target) },
    { about: 'another repository', target: at(target), token: other },
    {
      about: 'an identity header',
      target: at(target),
      token: tokenOf(target),
      headers: [['Latchkey-Scope', 'write']],
    },
  ]
}

/** Compares each rejection with what the clause demands: a text for each difference. */
async function firstDifference(
  target: StorageTarget,
  requests: readonly StorageRequest[],
  differenceOf: (
    response: RawResponse,
    request: StorageRequest,
  ) => readonly [string, string] | undefined,
): Promise<Fault | undefined> {
  for (const request of requests) {
    const response = await send(target, request)
    // Another check reports that the gate lets the request pass.
    if (isAdmitted(response)) continue
    const difference = differenceOf(response, request)
    if (difference !== undefined) return unlike(request, ...difference)
  }
  return undefined
}

function problemDifference(response: RawResponse): readonly [string, string] | undefined {
  const type = response.headers['content-type'] ?? 'none'
  if (!/^application\/problem\+json(?:;|$)/.test(type)) {
    return ['Content-Type: application/problem+json', `Content-Type: ${type}`]
  }
  const problem = problemOf(response)
  const wrong = ['title', 'detail', 'code'].find((name) => typeof problem[name] !== 'string')
  if (wrong !== undefined) return [`the member ${wrong}`, 'a problem document without it']
  return problem['status'] === response.status
    ? undefined
    : [`the member status ${response.status}`, `status ${String(problem['status'])}`]
}

/** RFC 6750, section 3.1. */
const errors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_token',
  403: 'insufficient_scope',
}

function challengeDifference(
  { status, headers }: RawResponse,
  { about }: StorageRequest,
): readonly [string, string] | undefined {
  const challenge = headers['www-authenticate'] ?? 'none'
  // Without a token, the challenge says nothing about one.
  const error = about === 'no token' ? undefined : errors[status]
  const isRight =
    /^Bearer\b/i.test(challenge) &&
    (error === undefined ? !/\berror=/.test(challenge) : challenge.includes(`error="${error}"`))
  if (isRight) return undefined
  const expected = error === undefined ? 'a Bearer challenge without error' : `error="${error}"`
  return [`WWW-Authenticate with ${expected}`, `WWW-Authenticate: ${challenge}`]
}

export const responseChecks: readonly Check<StorageTarget>[] = [
  {
    id: 'problem-documents',
    clause: 'Responses / Every error is a problem document (RFC 9457)',
    profiles,
    title: 'A rejection is a problem document with title, detail, code and status',
    run: (target) => firstDifference(target, rejectedRequests(target), problemDifference),
  },
  {
    id: 'challenges',
    clause: 'Responses / Challenges follow RFC 6750',
    profiles,
    title: 'A rejection with 400, 401 or 403 has a Bearer challenge',
    run: (target) => firstDifference(target, rejectedRequests(target), challengeDifference),
  },
  {
    id: 'headers-of-rejections',
    clause: 'Responses / Every response has X-Request-Id, Cache-Control: no-store and Date',
    profiles,
    title: 'A rejection has a request id and is not cached',
    run: (target) =>
      firstDifference(target, rejectedRequests(target), ({ headers }) => {
        const { 'x-request-id': id, 'cache-control': control = 'none' } = headers
        if (id === undefined) return ['X-Request-Id', 'none']
        return control.includes('no-store')
          ? undefined
          : ['Cache-Control: no-store', `Cache-Control: ${control}`]
      }),
  },
  {
    id: 'text-for-clients',
    clause: 'Responses / X-Error-Message has the text that Hugging Face clients expect, in ASCII',
    profiles,
    title: 'A rejection has its sentence in X-Error-Message',
    run: (target) =>
      firstDifference(target, rejectedRequests(target), ({ headers }) =>
        /^[ -~]+$/.test(headers['x-error-message'] ?? '')
          ? undefined
          : ['X-Error-Message in ASCII', headers['x-error-message'] ?? 'none'],
      ),
  },
  {
    id: 'head',
    clause: 'Responses / HEAD runs the same checks and issues no token',
    profiles,
    title: 'HEAD is checked as GET',
    run: (target) => {
      const method = 'HEAD'
      const other = tokenOf(target, { ref: 'dev' })
      const rows: readonly RequestRow[] = [
        [{ method, target: at(target), token: tokenOf(target) }, 'admitted'],
        [{ about: 'no token', method, target: at(target) }, '401 storage_token_missing'],
        [{ about: 'another ref', method, target: at(target), token: other }, '403 ref_mismatch'],
      ]
      return firstFault(target, rows)
    },
  },
  {
    id: 'no-secret-in-errors',
    clause: 'Guarantees / No secret reaches a log, an error, a metric or a file',
    profiles,
    title: 'No error repeats a token',
    run: (target) => {
      const token = tokenOf(target)
      const requests: readonly StorageRequest[] = [
        ...rejectedRequests(target),
        { about: 'a token in the query', target: `${at(target)}?access_token=${token}` },
        { about: 'a token in the path', target: `${at(target)}//${token}`, token },
      ]
      return firstDifference(target, requests, (response, { token: sent = token }) => {
        const all = [response.text, ...Object.values(response.headers)].join('\n')
        const [, payload = sent] = sent.split('.')
        return all.includes(sent) || all.includes(payload)
          ? ['an error without the token', 'an error with the token of the request']
          : undefined
      })
    },
  },
]
