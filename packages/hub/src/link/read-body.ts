/** The JSON body of a question, read by its schema. */

import type { IncomingMessage } from 'node:http'
import { readInputInParts } from '@latchkey/admin-api'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { readJsonBody } from '@latchkey/service/http/read-json-body'
import { slicePauses } from '@latchkey/service/limits/slice-turns'
import type { z } from 'zod'
import { readMembers } from '../admin/read-request.ts'

/** Twice as much as the most uids that a question may have. */
const limits = { most: 128 * 1024, advice: 'Ask for fewer uids at a time.' }

/** To be called once the storage is recognised. */
export async function readBody<Schema extends z.ZodObject>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.output<Schema> | Refusal> {
  const body = await readJsonBody(request, limits)
  const pause = slicePauses()
  const members = isRefusal(body) ? body : await readMembers(body, pause)
  return isRefusal(members) ? members : readInputInParts(schema, members, pause)
}
