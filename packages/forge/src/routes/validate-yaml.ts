/** `POST /api/validate-yaml`: whether the metadata of a README.md can be read. */

import { isRefusal } from '@latchkey/protocol'
import { validateCard } from '../cards/validate-card.ts'
import { jsonMembers } from '../http/bodies.ts'
import type { Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'

export const validateYaml: Handle<unknown> = async ({ hub, request }) => {
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(request)
  if (isRefusal(members)) return members
  const { content } = members
  const validation = validateCard(typeof content === 'string' ? content : '')
  return json(validation, { status: validation.errors.length > 0 ? 400 : 200 })
}
