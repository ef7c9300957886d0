/** The cost of a storage request through the client, beside the same one without it. */

import type { Figure } from '../measure/figure.ts'
import { inMemory } from './memory.ts'
import { compare } from './rounds.ts'

const path = `/v1/chunks/default/${'a'.repeat(64)}`

export async function benchFetch(rounds: number): Promise<readonly Figure[]> {
  const { client, fetch } = inMemory()
  const { casUrl, accessToken } = await client.token('read')
  const table = await compare(
    [
      { name: 'a request through the client', act: () => client.fetch(path) },
      { name: 'a bare request', act: () => fetch(casUrl + path, { headers: bearer() }) },
    ],
    { rounds, perRound: 5000 },
  )
  client.close()
  return table

  /** What whoever asks without the client has to do as well. */
  function bearer(): Headers {
    return new Headers({ authorization: `Bearer ${accessToken.reveal()}` })
  }
}
