/** docs/reference/storage-openapi.json, from the table of routes. */

import { readFileSync } from 'node:fs'
import { type StorageParts, storageRows } from '../../packages/storage/src/http/storage-rows.ts'
import { storageDocument } from '../../packages/storage/src/openapi/storage-document.ts'

export function storageOpenApiJson(): string {
  const manifest = new URL('../../packages/storage/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const casUrl = 'https://storage.example/{repo}/{ref}'
  // Their handlers are not called.
  const rows = storageRows({} as StorageParts)
  return `${JSON.stringify(storageDocument({ casUrl, version, rows }), undefined, 1)}\n`
}
