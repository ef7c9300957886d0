/** The forge as a hub knows it before it connects: a hub without one loads no HTTP client. */

import { CannotStart } from '@latchkey/service/machine/errors'

/** Where the forge listens. */
export interface ForgeAddress {
  /** Undefined while it does not run. Another address after a restart. */
  url(): string | undefined
}

/** A forge that others start. */
export function forgeElsewhere(forgeUrl: string): ForgeAddress {
  const url = URL.parse(forgeUrl)
  const isOrigin = url !== null && url.href.replace(/\/$/, '') === url.origin
  if (!isOrigin || !/^https?:$/.test(url.protocol)) {
    throw new CannotStart(
      `forgeUrl: ${JSON.stringify(forgeUrl)} is not allowed; give http or https, a host and a port, as in http://127.0.0.1:8084`,
    )
  }
  return { url: () => url.origin }
}

/** Pages of other origins may read them. */
export const exposedHeaders: readonly string[] = [
  ...['Link', 'ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition', 'X-Total-Count'],
  ...['X-Repo-Commit', 'X-Linked-Size', 'X-Linked-Etag', 'X-Xet-Hash', 'X-Xet-Refresh-Route'],
]
