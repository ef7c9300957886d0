/** The bytes of a request's body: bounded, and only if they are said to be JSON. */

import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'

export const largestBodyBytes = 4 * 1024 * 1024

const nothing = new Uint8Array()
const json = /^application\/json[ \t]*(?:;|$)/i

export async function readBody(request: IncomingMessage): Promise<Uint8Array | Refusal> {
  if (!announcesBody(request)) return nothing
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers
  if (!json.test(type)) {
    return refuse('unsupported_media_type', 'Send the body as application/json.')
  }
  return Number(length) > largestBodyBytes ? tooLarge() : readAll(request)
}

/** What a request that only looks carries beside its address has no meaning: RFC 9110 §9.3.1. */
function announcesBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function readAll(request: IncomingMessage): Promise<Uint8Array | Refusal> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    // Whoever sends too much is still to be answered, so the connection is left open here.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      length += part.length
      if (length > largestBodyBytes) return tooLarge()
      parts.push(part)
    }
  } catch {
    return brokenOff()
  }
  const announced = request.headers['content-length']
  return announced === undefined || Number(announced) === length
    ? Buffer.concat(parts)
    : brokenOff()
}

function tooLarge(): Refusal {
  const detail = `The body is larger than ${largestBodyBytes} bytes. Split it.`
  return refuse('body_too_large', detail)
}

function brokenOff(): Refusal {
  return refuse('bad_request', 'The body is not as long as its Content-Length says.')
}
