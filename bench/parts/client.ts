/** What does the client cost? A held token beside an awaited promise, its fetch beside the bare one, and many callers at once. */

import { benchFetch } from '../client/fetch.ts'
import { benchHeldToken } from '../client/held-token.ts'
import { countRequests } from '../client/one-request.ts'
import type { Part } from '../part.ts'

export const client: Part = {
  name: 'client',
  async figures({ rounds = 31 }) {
    return [
      ...(await benchHeldToken(rounds)),
      ...(await benchFetch(rounds)),
      await countRequests(10_000),
    ]
  },
}
