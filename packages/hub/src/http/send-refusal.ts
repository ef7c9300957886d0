/** Sends a refusal through the framework. */

import type { Refusal } from '@latchkey/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerRefusal } from './refusal-answer.ts'
import { wantsPlainJson } from './request-headers.ts'

export function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  request: FastifyRequest,
  allow?: string,
): FastifyReply {
  const { status, headers, body } = answerRefusal(refusal, {
    requestId: request.id,
    plainJson: wantsPlainJson(request.raw),
    ...(allow === undefined ? {} : { allow }),
  })
  reply.code(status)
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? '', headers[index + 1])
  }
  // A text would get a charset appended, which a JSON type does not have.
  return reply.send(Buffer.from(body))
}
