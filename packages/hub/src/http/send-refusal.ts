/** Sends a refusal through the framework. */

import { answerRefusal, type Refusal } from '@latchkey/protocol'
import { wantsPlainJson } from '@latchkey/service/request-headers'
import type { FastifyReply } from 'fastify'

export function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  { compatible = false }: { readonly compatible?: boolean } = {},
): FastifyReply {
  const { id: requestId, headers: asked } = reply.request
  const plainJson = compatible || wantsPlainJson(asked.accept)
  const { status, headers, body } = answerRefusal(refusal, { requestId, plainJson })
  reply.code(status)
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? '', headers[index + 1])
  }
  // A text would get a charset appended, which a JSON type does not have.
  return reply.send(Buffer.from(body))
}
