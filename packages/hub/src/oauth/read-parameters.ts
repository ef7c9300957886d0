/** Reads the parameters of an OAuth request: a form, or JSON as the newest client sends it for an exchange. */

import type { IncomingMessage } from 'node:http'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readBody } from '@latchkey/service/http/bodies'
import { parseJson } from '@latchkey/service/http/parse-json'

const maxFormBytes = 16 * 1024

/** Empty values count as absent: RFC 6749 §3.1. */
export type Parameters = ReadonlyMap<string, string>

const advice = 'Send the parameters of the request alone.'

export async function readParameters(request: IncomingMessage): Promise<Parameters | Refusal> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded' && type !== 'application/json') {
    return refuse(
      'unsupported_media_type',
      'Send the parameters as application/x-www-form-urlencoded.',
    )
  }
  const body = await readBody(request, { most: maxFormBytes, advice })
  if (isRefusal(body)) return body
  const pairs = type === 'application/json' ? await jsonPairs(body) : formPairs(body)
  if (pairs === undefined) return unreadable
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (parameters.has(name)) return repeated
    parameters.set(name, value)
  }
  return new Map([...parameters].filter(([, value]) => value !== ''))
}

function formPairs(body: Uint8Array): readonly [string, string][] | undefined {
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    return [...new URLSearchParams(text.decode(body))]
  } catch {
    return undefined
  }
}

async function jsonPairs(body: Uint8Array): Promise<readonly [string, string][] | undefined> {
  const value = await parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const pairs = Object.entries(value)
  return pairs.every(isPair) ? pairs : undefined
}

function isPair(pair: [string, unknown]): pair is [string, string] {
  return typeof pair[1] === 'string'
}

const unreadable = refuse('bad_request', 'The parameters cannot be decoded. Send texts in UTF-8.')
const repeated = refuse('bad_request', 'A parameter is there twice. Send each of them once.')
