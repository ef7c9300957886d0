/** The JSON body of a question, read by its schema. */

import type { IncomingMessage } from 'node:http'
import { readInput } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { readJsonBody } from '@latchkey/service/read-json-body'
import type { z } from 'zod'
import { readMembers } from '../admin/read-request.ts'

/** To be called once the storage is recognised. */
export async function readBody<Schema extends z.ZodObject>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.output<Schema> | Refusal> {
  const body = await readJsonBody(request)
  const members = isRefusal(body) ? body : readMembers(body)
  return isRefusal(members) ? members : readInput(schema, members)
}
