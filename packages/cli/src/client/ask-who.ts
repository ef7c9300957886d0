/** Whose hub token it is, as the hub tells who asks with it. */

import { isRefusal } from '@latchkey/protocol'
import { z } from 'zod'
import type { Login } from '../credentials/find-login.ts'
import { askHub } from '../management/ask-hub.ts'
import { unavailable } from '../output/stop.ts'
import { stopForFailure } from './failure-line.ts'

const answer = z.object({
  account: z.looseObject({ name: z.string(), kind: z.string(), administrator: z.boolean() }),
  hubToken: z.looseObject({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    hint: z.string(),
    expiresAt: z.string().optional(),
  }),
})

export type Who = z.output<typeof answer>

export async function askWho(login: Login): Promise<Who> {
  const told = await askHub(login, { method: 'GET', path: '/api/whoami' })
  if (isRefusal(told)) {
    throw stopForFailure({ code: told.refused, message: told.detail }, { login })
  }
  const { data } = answer.safeParse(told)
  if (data === undefined) throw unavailable(`${login.url} does not answer like a hub`)
  return data
}
