/** Makes the demo's world and its hub tokens anew; the tokens of earlier starts end here. */

import { isRefusal } from '@latchkey/protocol'
import { z } from 'zod'
import { type Management, verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { world } from './world.ts'

export type DemoTokens = ReadonlyMap<string, string>

/** By the name of the hub token. */
export async function prepareDemo(management: Management): Promise<DemoTokens> {
  const run = async (words: string, input: object) => {
    const result = await management.run(verbCalled(words), { ...input })
    if (isRefusal(result)) throw stopFor(result)
    return result
  }
  const { items } = listed.parse(await run('hub-token list', { limit: 1000 }))
  for (const { id, name } of items) {
    if (names.includes(name)) await run('hub-token revoke', { hubToken: id })
  }
  const { hubTokens } = applied.parse(await run('apply', { file: world }))
  return new Map(hubTokens.map(({ name, token }) => [name, token]))
}

const names: readonly string[] = world.hubTokens.map(({ name }) => name)
const listed = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
const applied = z.object({
  hubTokens: z.array(z.object({ name: z.string(), token: z.string() })),
})
