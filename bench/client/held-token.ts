/** The cost of a token that is held, beside that of awaiting anything at all. */

import type { Figure } from '../measure/figure.ts'
import { inMemory } from './memory.ts'
import { compare } from './rounds.ts'

export async function benchHeldToken(rounds: number): Promise<readonly Figure[]> {
  const { client, asked } = inMemory()
  const resolved = Promise.resolve(await client.token('read'))
  const table = await compare(
    [
      { name: 'a token that is held', act: () => client.token('read') },
      { name: 'a resolved promise', act: () => resolved },
    ],
    { rounds, perRound: 100_000, microsGoal: { atMost: 0.5 } },
  )
  client.close()
  if (asked() !== 1) throw new Error(`the held token was asked for ${asked()} times`)
  return table
}
