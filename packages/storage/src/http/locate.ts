/** Which repository and ref a request names. */

import { type Locate, placeByPrefix } from '@latchkey/gate'

export function storageLocate(casUrl: string): Locate {
  const place = placeByPrefix(casUrl, undefined)
  return (request) => {
    const { repositoryUid, refUid, path } = place(request) ?? {}
    return repositoryUid === undefined || refUid === undefined || path === undefined
      ? undefined
      : { repositoryUid, refUid, path }
  }
}
