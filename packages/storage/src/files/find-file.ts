/** `HEAD /v1/files/{hash}`: whether a file is there, how long it is, and whether the token's own ref has it. */

import type { Catalog } from '../catalog/catalog.ts'
import type { Handle } from '../request/asked.ts'
import { notHere } from '../request/refusals.ts'

export function findFile(catalog: Catalog): Handle {
  return async ({ view, place }, hash) => {
    const file = await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    // A file that another ref has can go with that ref: a client that wants to keep it registers it again.
    const registered = file.refUid === place.refUid ? 'own' : 'inherited'
    const headers = ['Content-Length', String(file.bytes), 'X-Latchkey-Registered', registered]
    return { status: 200, headers, body: '' }
  }
}
