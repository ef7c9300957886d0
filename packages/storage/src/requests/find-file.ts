/** `HEAD /v1/files/{hash}`: whether a file is there, and how long it is. */

import type { Catalog } from '../catalog/catalog.ts'
import type { Handle } from './asked.ts'
import { notHere } from './refusals.ts'

export function findFile(catalog: Catalog): Handle {
  return async ({ view }, hash) => {
    const file = await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    return { status: 200, headers: ['Content-Length', String(file.bytes)], body: '' }
  }
}
