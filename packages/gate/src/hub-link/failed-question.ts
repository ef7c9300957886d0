/** Why the hub could not be asked, in words without a secret: nothing that the hub sent is repeated but a code. */

import { tlsReason } from '@latchkey/service/http/ask'
import { CredentialError, HubLinkError } from './hub-link.ts'

interface FailedQuestion {
  readonly hubUrl: string
  readonly patienceMs: number
  /** Whether the caller has aborted the question. */
  readonly isGivenUp: boolean
}

export function failedQuestion(
  error: unknown,
  { hubUrl, patienceMs, isGivenUp }: FailedQuestion,
): HubLinkError {
  if (isGivenUp) return new HubLinkError('the question to the hub was given up')
  if (nameOf(error) === 'TimeoutError') {
    return new HubLinkError(`the hub at ${hubUrl} did not answer within ${patienceMs / 1000} s`)
  }
  const reason = reasonOf(error)
  const advice = tlsReason(reason)
  const more = advice === undefined ? '' : `: ${advice}`
  return new HubLinkError(`the hub at ${hubUrl} cannot be reached (${reason})${more}`)
}

/** The hub has answered with a status that this question does not have. */
export function refusedQuestion({ status, value }: HubAnswer): HubLinkError {
  const code = codeOf(value)
  const statusText = code === undefined ? `${status}` : `${status} ${code}`
  if (status === 401 || status === 403) {
    return new CredentialError(
      `the hub refused the credential of the storage (${statusText}): give it a valid hub token of kind storage; "latchkey hub-token create ACCOUNT NAME --kind storage" makes one`,
    )
  }
  const hint = status === 421 ? '; add this name with --allowed-hosts' : ''
  return new HubLinkError(
    `the hub answered a question of the storage with status ${statusText}${hint}`,
  )
}

export function oddAnswer({ path }: HubAnswer): HubLinkError {
  const [route] = path.split('?')
  return new HubLinkError(
    `the hub's answer at ${route} is not as described; is this the URL of a hub, and of a version that fits?`,
  )
}

/** The code in a problem document (RFC 9457). */
export function codeOf(value: unknown): string | undefined {
  const { code } = Object(value)
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : undefined
}

/** The system's code: messages of a platform may repeat headers. */
function reasonOf(error: unknown): string {
  const { code } = Object(Object(error).cause)
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : nameOf(error)
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'no reason given'
}

export interface HubAnswer {
  readonly path: string
  readonly status: number
  /** Undefined where the body is no JSON. */
  readonly value: unknown
}
