/** `GET /api/whoami-v2`: whose hub token it is. */

import { isRefusal } from '@latchkey/protocol'
import type { Handle } from '../handler/exchange.ts'
import { json } from '../http/reply.ts'

export const whoami: Handle<unknown> = async ({ hub }) => {
  const caller = await hub.whoami()
  if (isRefusal(caller)) return caller
  const { id, name, hubToken, namespaces } = caller
  return json({
    ...{ type: 'user', id, name, fullname: name, isPro: false, canPay: false },
    orgs: namespaces.map((one) => ({
      ...{
        type: 'org',
        name: one.name,
        fullname: one.name,
        roleInOrg: one.role,
        isEnterprise: false,
      },
    })),
    auth: {
      type: 'access_token',
      accessToken: {
        displayName: hubToken.name,
        role: hubToken.kind === 'fine-grained' ? 'fineGrained' : hubToken.kind,
        createdAt: hubToken.createdAt,
      },
    },
  })
}
