/** A Response as the outcome that the tests judge. */

import type { Outcome } from './judge.ts'
import { seenIn } from './raw-client.ts'

export async function outcomeOf(response: Response): Promise<Outcome> {
  const { status, headers } = response
  const body = await response.text()
  return {
    status,
    header: (name) => headers.get(name) ?? undefined,
    body,
    everything: JSON.stringify([...headers, body]),
    seen: seenIn(headers.get('seen')),
  }
}
