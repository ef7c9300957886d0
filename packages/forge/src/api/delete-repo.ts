/** `DELETE /api/repos/delete`. */

import { isRefusal } from '@latchkey/protocol'
import type { Handle } from '../handler/exchange.ts'
import { jsonMembers } from '../http/bodies.ts'
import { json } from '../http/reply.ts'
import { inSlot, turnOf } from './change-in-turn.ts'
import { namedInBody } from './named-in-body.ts'

export const deleteRepo: Handle<unknown> = async (exchange, _address, parts) => {
  const { hub } = exchange
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const members = await jsonMembers(exchange)
  if (isRefusal(members)) return members
  const repo = namedInBody(members, caller.name)
  if (isRefusal(repo)) return repo
  const found = await hub.decide({ repo, revision: undefined, scope: 'read' })
  if (isRefusal(found)) return found
  const { repositoryUid: uid } = found
  const deletion = async () => {
    await parts.markers.set(uid)
    const deleted = await hub.deleteRepository(repo)
    if (!isRefusal(deleted)) await parts.git.remove(deleted.uid)
    await parts.markers.clear(uid)
    if (isRefusal(deleted)) return deleted
    return json({})
  }
  return inSlot(exchange, parts, () => parts.inTurn(turnOf(exchange, uid), deletion))
}
