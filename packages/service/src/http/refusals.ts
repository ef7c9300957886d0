/** Refusals that every service gives, before a request is routed or when its work fails. */

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { answerRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { DatabaseBusy, DatabaseUnavailable } from '../machine/errors.ts'
import { headerPairs, headerValues } from './headers.ts'

/** The refusal as bytes, for when there is no response object to send it with. */
export function rawAnswer(refusal: Refusal, requestId: string): Buffer {
  const { status, headers, body } = answerRefusal(refusal, { requestId })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headerPairs(headers).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Why the parser gave up. */
export function unreadableRefusal(error: Error, unknownMethod: Refusal): Refusal {
  switch ('code' in error ? error.code : undefined) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse(
        'headers_too_large',
        'The request headers are too many, or exceed 96 KiB in all. Send fewer or shorter ones.',
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('request_timeout', 'The request did not arrive whole in time. Send it again.')
    // Node would close the connection with a bare 400.
    case 'HPE_INVALID_METHOD':
      return unknownMethod
    default:
      return refuse('bad_request', 'This is not a well-formed HTTP/1.1 request.')
  }
}

/** Requests that Node's parser accepts and the protocol does not. RFC 9112 §3.2 */
export function unservableRefusal(request: IncomingMessage, name: string): Refusal | undefined {
  if (request.httpVersionMajor !== 1) {
    return refuse('bad_request', `This ${name} speaks HTTP/1.1 and HTTP/1.0 only.`)
  }
  const hosts = headerValues(request.rawHeaders, 'host').length
  const isEnough = hosts === 1 || (hosts === 0 && request.httpVersionMinor === 0)
  return isEnough
    ? undefined
    : refuse('bad_request', 'A request must have exactly one Host header.')
}

/** Orchestrators ask under whatever address they know, and the answer tells nothing but that the service is there. */
export function isHealthCheck({ method, url }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && (url === '/healthz' || url === '/readyz')
}

export function misdirectedRequest(name: string): Refusal {
  return refuse(
    'misdirected_request',
    `This ${name} does not answer to the host name of the request. Use the URL it is configured with; its operator can add names with --allowed-hosts.`,
  )
}

export function expectationRefusal(name: string): Refusal {
  return refuse('bad_request', `This ${name} can meet no expectation but "Expect: 100-continue".`)
}

export function stoppingRefusal(name: string): Refusal {
  return refuse('stopping', `The ${name} is stopping. Try again in a moment.`, {
    retryAfterSeconds: 1,
  })
}

export function overloadRefusal(name: string): Refusal {
  return refuse(
    'not_ready',
    `The ${name} has more requests than it can answer. Try again in a moment.`,
    { retryAfterSeconds: 1 },
  )
}

/** Undefined for another error than of a database that does not answer now. */
export function unavailableRefusal(error: unknown, name: string): Refusal | undefined {
  if (!(error instanceof DatabaseUnavailable || error instanceof DatabaseBusy)) return undefined
  const isUnknown = error instanceof DatabaseUnavailable && error.mayHaveTakenEffect
  const next = isUnknown
    ? 'The change may have been made: look before you repeat it.'
    : 'Try again in a moment.'
  return refuse('not_ready', `The database of the ${name} does not answer now. ${next}`, {
    retryAfterSeconds: 1,
  })
}

/** For the metrics: the client has gone. */
export function brokenOffRefusal(): Refusal {
  return refuse(
    'bad_request',
    'The connection closed before the whole body had come. Send it again.',
  )
}

/** The client learns that something broke; the log has the reason. */
export function internalError(name: string): Refusal {
  return refuse(
    'internal_error',
    `The ${name} failed to answer. Try again; the request id helps its operator to find out why.`,
  )
}
