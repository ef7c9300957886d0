/** A storage request: usual, or with anything that somebody on the way could read in two ways. */

import type { Choices } from './choices.ts'
import type { TestGate } from './gates.ts'
import { mutatedHeaders } from './mutated-headers.ts'
import { mutatedTarget } from './mutated-target.ts'
import { mutatedToken } from './mutated-token.ts'
import type { CheckRequest } from './questions.ts'

export function mutatedRequest(choices: Choices, gate: TestGate): CheckRequest {
  const { isOneIn, oneOf } = choices
  return {
    kind: 'request',
    method: isOneIn(4) ? oneOf(methods) : oneOf(['GET', 'POST', 'PUT']),
    target: mutatedTarget(choices, gate),
    headers: mutatedHeaders(choices, mutatedToken(choices, gate)),
  }
}

// biome-ignore format: a table is read by its columns
const methods = [
  ...['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE', 'QUERY'],
  ...['get', 'Post', 'pOST', '', 'GET ', ' GET', 'G\u00c9T', 'PO\u00dfT', 'BREW', 'GET\u0000'],
]
