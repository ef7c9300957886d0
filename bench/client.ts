/** What does the client cost? A held token beside an awaited promise, its fetch beside the bare one, and one request for many callers. */

import { benchFetch } from './client/fetch.ts'
import { benchHeldToken } from './client/held-token.ts'
import { countRequests } from './client/one-request.ts'
import { writeResults } from './results.ts'

const rounds = Number(process.env['ROUNDS'] ?? 51)

await countRequests(10_000)
writeResults('client', [...(await benchHeldToken(rounds)), ...(await benchFetch(rounds))])
