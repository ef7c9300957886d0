/** The answer to what is not a request at all, written by hand because there is no response object. */

import { STATUS_CODES } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'
import { answerRefusal } from './refusal-answer.ts'

export function answerMalformed(error: Error, requestId: string): Buffer {
  const refusal = refusalFor(error)
  const allow = refusal.refused === 'method_not_allowed' ? { allow: 'GET, HEAD' } : {}
  const { status, headers, body } = answerRefusal(refusal, { requestId, ...allow })
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let index = 0; index < headers.length; index += 2) {
    lines.push(`${headers[index]}: ${headers[index + 1]}`)
  }
  lines.push(`Date: ${new Date().toUTCString()}`, 'Connection: close')
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

export function refusalFor(error: Error): Refusal {
  switch ('code' in error ? error.code : undefined) {
    case 'HPE_HEADER_OVERFLOW':
      return refuse(
        'headers_too_large',
        'The request headers exceed 96 KiB in all. Send fewer or shorter ones.',
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('request_timeout', 'The request did not arrive whole in time. Send it again.')
    case 'HPE_INVALID_METHOD':
      return refuse(
        'method_not_allowed',
        'This method is not known here. Use GET for a storage token.',
      )
    default:
      return refuse('bad_request', 'This is not a well-formed HTTP/1.1 request.')
  }
}
