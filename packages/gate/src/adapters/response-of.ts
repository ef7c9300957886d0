/** An answer of ours as a Response. */

import type { Answer } from '@latchkey/protocol'

export function responseOf({ status, headers, body }: Answer): Response {
  const pairs: [string, string][] = []
  for (let index = 0; index < headers.length; index += 2) {
    pairs.push([headers[index] ?? '', headers[index + 1] ?? ''])
  }
  return new Response(body === '' ? null : body, { status, headers: pairs })
}
