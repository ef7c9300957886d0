/** Error responses of a storage in the form of the gate's own: problem documents (RFC 9457) with the error codes. */

import { randomBytes } from 'node:crypto'
import {
  type Answer,
  answerRefusal,
  type OptionTypes,
  type RefusalCode,
  refuse,
  refuseOptions,
  statusOf,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'

export interface ProblemOptions {
  /** It decides the status. */
  readonly code: RefusalCode
  /** One sentence for the client: what happened, what was expected, what to do. Tokens in it are replaced. */
  readonly detail: string
  /**
   * The id under which your log has the request.
   *
   * @default a new id
   */
  readonly requestId?: string
  /**
   * Seconds for the header `Retry-After`.
   *
   * @default no header
   */
  readonly retryAfterSeconds?: number
}

const types: OptionTypes<ProblemOptions> = {
  code: 'string',
  detail: 'string',
  requestId: 'string',
  retryAfterSeconds: 'number',
}

/** The parts of the response, for `node:http` and for adapters of your own. */
export function problemAnswer(options: ProblemOptions): Answer {
  refuseOptions('problem', options, types)
  const { code, detail, requestId = newId(randomBytes), retryAfterSeconds } = options
  if (!Object.hasOwn(statusOf, code)) {
    throw new TypeError(
      `problem: ${JSON.stringify(code)} is no error code; give one of docs/reference/errors.md, such as entry_not_found`,
    )
  }
  const more = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return answerRefusal(refuse(code, detail, more), { requestId, everyRequestHasBearer: true })
}
