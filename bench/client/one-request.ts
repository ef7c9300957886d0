/** How many token requests do many callers make at once? */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { inMemory } from './memory.ts'

export async function countRequests(callers: number): Promise<Figure> {
  const { client, asked } = inMemory()
  await Promise.all(Array.from({ length: callers }, () => client.token('read')))
  client.close()
  return {
    figure: `token requests of ${callers} callers at once`,
    anchor: '',
    result: measuredOf([asked()], { unit: 'requests' }),
    goal: { atMost: 1 },
  }
}
