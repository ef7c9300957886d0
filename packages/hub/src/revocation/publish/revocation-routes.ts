/** The public documents by which gates learn what was taken back. */

import { isRefusal, pathOf, refuse } from '@latchkey/protocol'
import type { Route } from '@latchkey/service/http/routes'
import type { Published } from './publish.ts'

const headPath = '/.well-known/storage-revocations'

export function revocationRoutes({ head, list }: Published): readonly Route[] {
  return [
    {
      method: 'GET',
      path: headPath,
      async handle() {
        const body = await head()
        return isRefusal(body) ? body : { contentType: 'application/jwt', body }
      },
    },
    {
      method: 'GET',
      path: `${headPath}/*`,
      async handle({ request }) {
        const hash = pathOf(request.url ?? '').slice(headPath.length + 1)
        const bytes = await list(hash)
        if (bytes === undefined) return noList
        const cacheControl = 'public, max-age=31536000, immutable'
        return { contentType: 'application/octet-stream', cacheControl, body: bytes }
      },
    },
  ]
}

const noList = refuse(
  'not_found',
  `There is no such list, or it is not the newest any more. Ask for the head at ${headPath} again.`,
)
