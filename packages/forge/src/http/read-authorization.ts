/** The Authorization headers of a request as bearers: git sends its hub token as the password of Basic. */

import type { IncomingMessage } from 'node:http'
import { headerValues } from '@latchkey/service/http/header-list'

export function readAuthorization(
  { rawHeaders }: IncomingMessage,
  { isGit }: { readonly isGit: boolean },
): readonly string[] {
  const values = headerValues(rawHeaders, 'authorization')
  return isGit ? values.map(asBearer) : values
}

/** RFC 7617 §2: a user name has no colon, so the first one ends it. */
function asBearer(value: string): string {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value) ?? []
  if (encoded === undefined) return value
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  return `Bearer ${decoded.slice(decoded.indexOf(':') + 1)}`
}
