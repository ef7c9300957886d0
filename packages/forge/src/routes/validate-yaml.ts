/** `POST /api/validate-yaml`: whether the metadata of a README.md can be read. Clients ask without a hub token. */

import { isRefusal } from '@latchkey/protocol'
import { jsonMembers } from '../http/bodies.ts'
import type { Handle } from '../http/exchange.ts'
import { json } from '../http/reply.ts'

/** Clients send the whole README.md. */
const mostBytes = 2 * 1024 * 1024

export const validateYaml: Handle<unknown> = async ({ hub, request }, _address, parts) => {
  const refused = await hub.admit()
  if (refused !== undefined) return refused
  const members = await jsonMembers(request, mostBytes)
  if (isRefusal(members)) return members
  const { content } = members
  const text = typeof content === 'string' ? content : ''
  const validation = await parts.validateCard(text, hub.payer())
  if (isRefusal(validation)) return validation
  return json(validation, { status: validation.errors.length > 0 ? 400 : 200 })
}
