/** Makes the demo's world and its hub tokens anew; the tokens of earlier starts end here. */

import type { Words } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { z } from 'zod'
import { type Management, verbCalled } from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { world } from './world.ts'

/** By the name of the hub token: itself, and its id. */
export interface DemoTokens {
  readonly tokens: ReadonlyMap<string, string>
  readonly ids: ReadonlyMap<string, string>
}

export async function prepareDemo(management: Management): Promise<DemoTokens> {
  const run = async (words: Words, input: object) => {
    const result = await management.run(verbCalled(words), { ...input })
    if (isRefusal(result)) throw stopFor(result)
    return result
  }
  const live = async () => listed.parse(await run('hub-token list', { limit: 1000 })).items
  for (const { id, name } of await live()) {
    if (names.includes(name)) await run('hub-token revoke', { hubToken: id })
  }
  const { hubTokens } = applied.parse(await run('apply', { file: world }))
  return {
    tokens: new Map(hubTokens.map(({ name, token }) => [name, token])),
    ids: new Map((await live()).map(({ name, id }) => [name, id])),
  }
}

const names: readonly string[] = world.hubTokens.map(({ name }) => name)
const listed = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
const applied = z.object({
  hubTokens: z.array(z.object({ name: z.string(), token: z.string() })),
})
