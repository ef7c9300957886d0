/** Which repository and ref a request names, whatever epoch its address is of. */

import type { Locate } from '@latchkey/gate'
import { type Placing, placeByPrefix } from '@latchkey/gate/serving'
import { refUidIn } from '@latchkey/protocol'

export function storagePlacing(casUrl: string): Placing {
  const place = placeByPrefix(casUrl, undefined)
  return (request) => {
    const found = place(request)
    if (found === undefined) return undefined
    // The address of a ref changes when something was removed; requests at the old one go on.
    return { ...found, refUid: refUidIn(found.refUid ?? '') }
  }
}

export function storageLocate(casUrl: string): Locate {
  const place = storagePlacing(casUrl)
  return (request) => {
    const { repositoryUid, refUid, path } = place(request) ?? {}
    return repositoryUid === undefined || refUid === undefined || path === undefined
      ? undefined
      : { repositoryUid, refUid, path }
  }
}
