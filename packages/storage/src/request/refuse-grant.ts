/** `POST /v1/xorb-grants/default/{hash}`: newer clients ask where to send a xorb before they send it. */

import { refuse } from '@latchkey/protocol'
import type { Handle } from './asked.ts'
import { readWhole } from './read-whole.ts'

/** Clients send a length and a checksum. */
const mostBytes = 16 * 1024

/**
 * 404 is what makes clients send the xorb itself. A 200 would say that it is there already, and nothing would be sent:
 * content would be lost, and a client could ask what other repositories have. Nothing is looked up.
 */
export const refuseGrant: Handle = async ({ body }) => {
  // A body that was read leaves the connection usable for the upload that follows.
  await readWhole(body, mostBytes)
  return noGrants
}

const noGrants = refuse(
  'not_found',
  'This storage gives no grants to upload a xorb elsewhere. Send the xorb to POST /v1/xorbs/default/{hash}.',
)
