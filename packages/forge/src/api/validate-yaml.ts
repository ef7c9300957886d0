/** `POST /api/validate-yaml`: whether the metadata of a README.md can be read. Clients ask without a hub token. */

import { isRefusal } from '@latchkey/protocol'
import { readJsonBody } from '@latchkey/service/http/bodies'
import type { ShareLimits } from '@latchkey/service/limits/shares'
import type { ForgeDeps, ForgeHandler } from '../handler/exchange.ts'
import { membersIn } from '../http/bodies.ts'
import { json } from '../http/reply.ts'

/** Bodies that are parsed at once. The route takes no hub token, so each client has a small share. */
export const cardLimits: ShareLimits = {
  ...{ max: 4, maxOfAccount: 1, reserved: 1 },
  ...{ maxWaiting: 64, maxWaitingOfAccount: 4, maxWaitSeconds: 20 },
}

/** Clients send the whole README.md. */
const maxBytes = 2 * 1024 * 1024

export const validateYaml: ForgeHandler<unknown> = async (
  { hub, request, signal, takeRoom },
  _address,
  parts,
) => {
  const refused = await hub.admit()
  if (refused !== undefined) return refused
  const bytes = await readJsonBody(request, { most: maxBytes, take: takeRoom })
  if (isRefusal(bytes)) return bytes
  const giveBack = await parts.cardSlots.take({ account: hub.payer() }, signal)
  if (isRefusal(giveBack)) return giveBack
  const validation = await validate(bytes, hub.payer(), parts).finally(giveBack)
  if (isRefusal(validation)) return validation
  return json(validation, { status: validation.errors.length > 0 ? 400 : 200 })
}

async function validate(bytes: Uint8Array, payer: string, parts: ForgeDeps) {
  const members = await membersIn(bytes)
  if (isRefusal(members)) return members
  const { content } = members
  return parts.validateCard(typeof content === 'string' ? content : '', payer)
}
