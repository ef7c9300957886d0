/** An answer of ours as a Response. */

import type { Answer } from '@latchkey/protocol'
import { headerPairs } from '@latchkey/service/http/header-list'

export function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body === '' ? null : body, { status, headers: headerPairs(headers) })
}
