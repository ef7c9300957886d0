/** Any number of callers at once make one token request: asserted, not measured. */

import { inMemory } from './memory.ts'

export async function countRequests(callers: number): Promise<void> {
  const { client, asked } = inMemory()
  await Promise.all(Array.from({ length: callers }, () => client.token('read')))
  client.close()
  if (asked() !== 1) throw new Error(`${callers} callers made ${asked()} requests`)
  console.log(`${callers} callers made 1 token request`)
}
